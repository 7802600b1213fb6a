#!/bin/sh
# Certificates for a broker and its tables, with openssl (1.1.1 or later).
#
#   certificates.sh FOLDER ca                      who signs: ca.crt goes to the broker and to every device
#   certificates.sh FOLDER server NAME...          the broker's, for the names and addresses it is called by
#   certificates.sh FOLDER table SITE TABLE        one table's, SITE/TABLE.crt, for that name
#
# Nothing that is there is overwritten. ca.key signs anything: keep it on no broker and no device. DAYS=1825 is how long a
# certificate holds; one that ends takes its table off the broker, so note the day.
set -eu
umask 077

usage() {
    sed -n '4,6s/^# *//p' "$0" >&2
    exit 2
}

die() {
    echo "certificates.sh: $1" >&2
    exit 2
}

[ $# -ge 2 ] || usage
folder=$1 what=$2
shift 2
days=${DAYS:-1825}
mkdir -p "$folder"

absent() {
    [ ! -e "$folder/$1.crt" ] || die "$folder/$1.crt: is there already; move it away to make another"
}

# signed STEM NAME EXTENSIONS: a key, and a certificate for it
signed() {
    absent "$1"
    [ -e "$folder/ca.key" ] || die "$folder/ca.key: expected who signs, found none; run: certificates.sh $folder ca"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    printf '[req]\nprompt = no\ndistinguished_name = name\n[name]\nCN = %s\n' "$2" > "$work/request.cnf"
    printf 'basicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n%s\n%s\n%s\n' "$3" \
        'subjectKeyIdentifier = hash' 'authorityKeyIdentifier = keyid' > "$work/extensions.cnf"
    openssl ecparam -name prime256v1 -genkey -noout -out "$work/key"
    openssl req -new -key "$work/key" -config "$work/request.cnf" -out "$work/request"
    openssl x509 -req -in "$work/request" -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -days "$days" -sha256 \
        -set_serial "0x$(openssl rand -hex 16)" -extfile "$work/extensions.cnf" -out "$work/crt" 2>/dev/null
    mv "$work/key" "$folder/$1.key"
    mv "$work/crt" "$folder/$1.crt"
    chmod 644 "$folder/$1.crt"
    echo "$folder/$1.crt and $1.key: $2, until $(openssl x509 -in "$folder/$1.crt" -noout -enddate | cut -d= -f2)"
}

case $what in
ca)
    [ $# -eq 0 ] || usage
    absent ca
    openssl ecparam -name prime256v1 -genkey -noout -out "$folder/ca.key"
    printf '%s\n' '[req]' 'prompt = no' 'distinguished_name = name' 'x509_extensions = own' '[name]' \
        'CN = feltwatch broker and tables' '[own]' 'basicConstraints = critical, CA:TRUE, pathlen:0' \
        'keyUsage = critical, keyCertSign, cRLSign' 'subjectKeyIdentifier = hash' > "$folder/ca.cnf"
    openssl req -x509 -new -key "$folder/ca.key" -config "$folder/ca.cnf" -days "$((days * 2))" -sha256 \
        -out "$folder/ca.crt"
    rm "$folder/ca.cnf"
    chmod 644 "$folder/ca.crt"
    echo "$folder/ca.crt and ca.key"
    ;;
server)
    [ $# -ge 1 ] || usage
    names=
    for name in "$@"; do
        case $name in
        '' | *[!A-Za-z0-9.:-]*) die "$name: expected the name or the address of a broker" ;;
        *:* | *.*.*.*[0-9]) case $name in *[g-zG-Z]*) kind=DNS ;; *) kind=IP ;; esac ;;
        *) kind=DNS ;;
        esac
        names="$names${names:+, }$kind:$name"
    done
    signed server "$1" "extendedKeyUsage = serverAuth
subjectAltName = $names"
    ;;
table)
    [ $# -eq 2 ] || usage
    for name in "$1" "$2"; do
        case $name in
        '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) die "$name: expected letters, figures, '.', '_' and '-'" ;;
        esac
    done
    name="$1/$2"
    [ ${#name} -le 64 ] || die "$name: expected no more than 64 letters, for that is all a certificate holds"
    mkdir -p "$folder/$1"
    signed "$name" "$name" "extendedKeyUsage = clientAuth"
    ;;
*) usage ;;
esac
