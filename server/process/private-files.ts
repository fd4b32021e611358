/**
 * Whatever this process writes, the database's own files included, is for its user alone. Without
 * effect on Windows.
 */
process.umask(0o077)
