#!/usr/bin/env bash
# feltwatch on a bare Debian: no desktop, no compiler, nobody's root, nothing writable but its record.
#
#   tests/faults/bare_debian.sh chroot       as docs/install.md has it, in a bare file system that is read-only
#   tests/faults/bare_debian.sh container    edge/deploy/Containerfile, read-only, without capabilities
#   tests/faults/bare_debian.sh systemd      edge/deploy/feltwatch@.service under a real systemd, killed and stuck
#   tests/faults/bare_debian.sh compose      edge/deploy/compose.yaml: two tables, and what comes of them at the broker
#
# Several may be named. Needs root, Debian's debootstrap and, but for the first, podman with runc; the last podman-compose
# too. No image is fetched: the base is made of Debian's packages, and stands for debian:bookworm-slim; with mosquitto in
# it, it stands for eclipse-mosquitto:2. WORK names the folder that is worked in, PIP_CERT whom pip trusts, SUITE another
# Debian than 12 (for the first).
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
work=${WORK:-/var/tmp/feltwatch-bare}
suite=${SUITE:-bookworm}
packages=/opt/feltwatch/lib/python3.11/site-packages
mkdir -p "$work"

say() { printf '== %s\n' "$*"; }
fail() {
    printf '!! %s\n' "$*" >&2
    exit 1
}
must() { # must WHAT COMMAND...: say whether it holds
    local what=$1
    shift
    "$@" || fail "$what"
    say "ok: $what"
}
mustnot() {
    local what=$1
    shift
    if "$@"; then fail "$what"; fi
    say "ok: $what"
}
until_() { # until_ SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.5
    done
}

base() { # a bare Debian, made once
    [ -e "$work/$suite/.made" ] && return
    say "debootstrap of $suite"
    debootstrap --variant=minbase "$suite" "$work/$suite" >"$work/debootstrap.log" || fail "see $work/debootstrap.log"
    touch "$work/$suite/.made"
}

trust() { # whom pip trusts here, into a root
    [ -n "${PIP_CERT:-}" ] || return 0
    install -D -m 0644 "$PIP_CERT" "$1/run-ca.crt"
    printf '[global]\ncert = /run-ca.crt\n' >"$1/etc/pip.conf"
}

in_chroot() {
    base
    local root=$work/chroot-$suite
    if [ ! -e "$root/.made" ]; then
        say "as docs/install.md has it"
        rm -rf --one-file-system "$root"
        cp -a "$work/$suite" "$root"
        rm "$root/.made"
        trust "$root"
        cp /etc/resolv.conf "$root/etc/resolv.conf"
        mkdir "$root/src" "$root/etc/feltwatch"
        (cd "$here" && tar -c --exclude=__pycache__ engine vision models datasets edge requirements docs/pictures \
            pyproject.toml LICENSE) | tar -x --no-same-owner -C "$root/src"
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive chroot "$root" sh -eu \
            <<'STEPS' >"$work/chroot.log" 2>&1 || fail "see $work/chroot.log"
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv ca-certificates
useradd --system --user-group --no-create-home --home-dir /var/lib/feltwatch --shell /usr/sbin/nologin feltwatch
install -d -m 0700 -o feltwatch -g feltwatch /var/lib/feltwatch
python3 -m venv /opt/feltwatch
python3 -m venv /opt/build
/opt/feltwatch/bin/pip install --no-cache-dir --only-binary=:all: --require-hashes -r /src/requirements/run.txt
/opt/build/bin/pip install --no-cache-dir --only-binary=:all: --require-hashes -r /src/requirements/build.txt
cd /src
/opt/build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation -w /wheel .
/opt/feltwatch/bin/pip install --no-cache-dir --no-deps /wheel/*.whl
STEPS
        touch "$root/.made"
    fi
    local no_desktop='libgl1|libegl|libx11|libgtk|libqt|libwayland'
    mustnot "nothing of a desktop is installed" grep -qE "^Package: ($no_desktop)" "$root/var/lib/dpkg/status"
    mustnot "nor a compiler" test -e "$root/usr/bin/gcc"
    # In a mount namespace of its own: all of it read-only, but for the record and /tmp
    unshare --mount --pid --fork --kill-child bash -eu <<INSIDE
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$root/var/lib/feltwatch" "$root/var/lib/feltwatch"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
chroot --userspec=feltwatch:feltwatch "$root" env -i PATH=/opt/feltwatch/bin:/usr/bin:/bin HOME=/var/lib/feltwatch \
    STATE_DIRECTORY=/var/lib/feltwatch bash -eu <<'USER'
say() { printf '== ok: %s\n' "\$*"; }
[ "\$(id -u)" != 0 ]; say "it is \$(id -un), not root"
! touch /var/tmp/x 2>/dev/null; say "its file system is read-only"
feltwatch detect /src/docs/pictures/table.jpg
say "feltwatch detect"
table=\$(echo /opt/feltwatch/lib/python3*/site-packages/datasets/clips/demo.table.toml)
feltwatch doctor -c \$table
say "feltwatch doctor"
feltwatch run -c \$table --seconds 20 >/var/lib/feltwatch/told
grep -c '"event"' /var/lib/feltwatch/told
grep -q '"verdict":"round-started"' /var/lib/feltwatch/told; say "feltwatch run on the bundled film"
USER
INSIDE
}

engine() { # podman, with limits that hold where root may not raise its own
    command -v podman >/dev/null || fail "podman is missing"
    cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=8192:8192", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
    export CONTAINERS_CONF=$work/containers.conf
    base
    podman image exists docker.io/library/debian:bookworm-slim ||
        tar -C "$work/$suite" -c . | podman import -q - docker.io/library/debian:bookworm-slim >/dev/null
}

image() {
    engine
    local mounts=()
    if [ -n "${PIP_CERT:-}" ]; then
        printf '[global]\ncert = /run/ca.crt\n' >"$work/pip.conf"
        mounts=(-v "$work/pip.conf:/etc/pip.conf:ro" -v "$PIP_CERT:/run/ca.crt:ro")
    fi
    say "edge/deploy/Containerfile"
    podman build -q --format docker --network=host --pull=never "${mounts[@]}" -t feltwatch \
        -f "$here/edge/deploy/Containerfile" "$here" >"$work/build.log" 2>&1 || fail "see $work/build.log"
}

sealed() {
    podman run --rm --log-level=fatal --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges \
        --network=none -v "$here/docs:/docs:ro" "$@"
}

in_container() {
    image
    must "it is not root" test "$(sealed --entrypoint id feltwatch -u)" = 10001
    mustnot "its root is read-only, for root itself" sealed --user 0 --entrypoint touch feltwatch /opt/feltwatch/x
    must "its record is writable" sealed --entrypoint touch feltwatch /var/lib/feltwatch/x
    must "feltwatch detect" sealed feltwatch detect /docs/pictures/table.jpg
    must "feltwatch doctor" sealed feltwatch doctor -c $packages/datasets/clips/demo.table.toml
    sealed feltwatch run -c $packages/datasets/clips/demo.table.toml --seconds 20 >"$work/told"
    must "feltwatch run on the bundled film" grep -q '"verdict":"round-started"' "$work/told"
}

table_file() { # table_file ID: the bundled film again and again
    sed "s#^id = .*#id = \"$1\"#; s#^source = .*#source = \"$packages/datasets/clips/demo.mp4\"\nloop = true#" \
        "$here/datasets/clips/demo.table.toml"
    printf '\n[mqtt]\nurl = "mqtt://127.0.0.1:1883"\nuser = "%s"\npassword_file = "%s.password"\n' "$1" "$1"
    printf '\n[serve]\nhttp = "127.0.0.1:9464"\n'
}

inside() { podman exec feltwatch-bare sh -c "$1"; }
shown() { inside "systemctl show -P $1 feltwatch@bj-07"; }
pid_is_not() { [ "$(shown MainPID)" != "$1" ] && [ "$(shown ActiveState)" = active ]; }

under_systemd() {
    image
    mkdir -p "$work/systemd"
    printf '%s\n' 'FROM feltwatch' 'USER 0' \
        'RUN apt-get update && apt-get install -y --no-install-recommends systemd systemd-sysv mosquitto mosquitto-clients' \
        'ENTRYPOINT []' 'CMD ["/sbin/init"]' 'HEALTHCHECK NONE' >"$work/systemd/Containerfile"
    podman build -q --format docker --network=host -t feltwatch-systemd "$work/systemd" >"$work/systemd.log" 2>&1 ||
        fail "see $work/systemd.log"
    podman rm -f feltwatch-bare >/dev/null 2>&1 || true
    podman run -d --name feltwatch-bare --privileged --systemd=always --network=none feltwatch-systemd >/dev/null
    trap 'podman rm -f feltwatch-bare >/dev/null 2>&1' EXIT
    until_ 30 inside 'systemctl is-system-running --quiet 2>/dev/null' || fail "systemd does not start"
    inside 'mount --make-rshared /' # as it is where systemd is the first process of a machine
    table_file bj-07 >"$work/bj-07.toml"
    podman cp "$work/bj-07.toml" feltwatch-bare:/etc/feltwatch/bj-07.toml
    podman cp "$here/edge/deploy/feltwatch@.service" feltwatch-bare:/etc/systemd/system/
    inside 'cd /etc/feltwatch && chown root:feltwatch bj-07.toml && chmod 640 bj-07.toml && umask 077 &&
        echo hunter2 > bj-07.password && mosquitto_passwd -b -c /etc/mosquitto/users bj-07 hunter2 2>/dev/null &&
        chown mosquitto /etc/mosquitto/users && umask 022 && printf "listener 1883 127.0.0.1\npassword_file %s\n" \
        /etc/mosquitto/users > /etc/mosquitto/conf.d/f.conf && systemctl restart mosquitto && systemctl daemon-reload &&
        systemctl start feltwatch@bj-07' || fail "$(inside 'journalctl -u feltwatch@bj-07 -o cat | tail -20')"
    must "it says that it is ready" test "$(shown ActiveState)" = active
    must "its health is good" until_ 30 inside "$HEALTHY"
    must "it is not root" test "$(inside 'stat -c %U /proc/$(systemctl show -P MainPID feltwatch@bj-07)')" = feltwatch
    must "the broker let it in with the password that systemd handed it" \
        until_ 30 inside "$ASKED | grep 'feltwatch_broker_connected{table=\"bj-07\"} 1' >/dev/null"
    must "what it tells comes" inside 'timeout 60 mosquitto_sub -u bj-07 -P hunter2 -t "feltwatch/+/+/event" -C 3'
    local pid
    pid=$(shown MainPID)
    inside "kill -9 $pid"
    must "killed, it runs again within 10 s" until_ 10 pid_is_not "$pid"
    pid=$(shown MainPID)
    until_ 30 inside "$HEALTHY"
    inside "kill -STOP $pid"
    must "stuck, it is ended by the watchdog and runs again" until_ 60 pid_is_not "$pid"
    must "and systemd says why" inside 'journalctl -u feltwatch@bj-07 -o cat | grep -q "Watchdog timeout"'
    must "stopped, it goes in good order" inside 'systemctl stop feltwatch@bj-07; systemctl show -P Result feltwatch@bj-07 | grep -q success'
    must "its journal is whole" inside 'for j in /var/lib/feltwatch/*/*.journal; do feltwatch verify $j; done'
    podman rm -f feltwatch-bare >/dev/null 2>&1
}

GET='from urllib.request import urlopen; print(urlopen(\"http://127.0.0.1:9464/WHAT\", timeout=5).read().decode())'
ASKED="python3 -c \"${GET/WHAT/metrics}\""
HEALTHY="python3 -c \"${GET/WHAT/healthz}\" >/dev/null 2>&1"

composed() { (cd "$here" && podman-compose -p feltwatch -f edge/deploy/compose.yaml "$@"); }

in_compose() {
    image
    mkdir -p "$work/mosquitto"
    printf '%s\n' 'FROM docker.io/library/debian:bookworm-slim' \
        'RUN groupadd -g 1883 broker && useradd -u 1883 -g 1883 broker && apt-get update && apt-get install -y --no-install-recommends mosquitto mosquitto-clients' \
        'RUN mkdir -p /mosquitto/data /mosquitto/config && chown -R 1883:1883 /mosquitto' 'VOLUME /mosquitto/data' \
        'CMD ["mosquitto", "-c", "/mosquitto/config/mosquitto.conf"]' >"$work/mosquitto/Containerfile"
    podman build -q --format docker --network=host -t docker.io/library/eclipse-mosquitto:2 "$work/mosquitto" \
        >"$work/mosquitto.log" 2>&1 || fail "see $work/mosquitto.log"
    trap 'composed down -v >/dev/null 2>&1' EXIT
    composed up -d --no-build >"$work/compose.log" 2>&1 || fail "see $work/compose.log"
    for port in 9464 9465; do
        must "the table at port $port is well" until_ 90 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port &&
            printf 'GET /healthz HTTP/1.1\r\n\r\n' >&3 && head -1 <&3 | grep -q 200" 2>/dev/null
    done
    for table in bj-01 bj-02; do
        must "what $table tells comes" podman exec feltwatch_broker_1 timeout 90 \
            mosquitto_sub -t "feltwatch/main-floor/$table/verdict" -C 2
    done
    composed down -v >/dev/null 2>&1
}

[ $# -gt 0 ] || { sed -n '4,7s/^# *//p' "$0" >&2; exit 2; }
[ "$(id -u)" = 0 ] || fail "needs root"
for part in "$@"; do
    case $part in
    chroot) in_chroot ;;
    container) in_container ;;
    systemd) under_systemd ;;
    compose) in_compose ;;
    *) fail "$part: expected chroot, container, systemd or compose" ;;
    esac
done
say "done: $*"
