/** Makes all that this process writes its user's alone. Without effect on Windows. */
process.umask(0o077)
