"""What `import feltwatch` gives."""
