// Imported before everything else, and importing nothing.

/**
 * An older Node dies of a name that its own modules lack, or of the database's native module, with
 * a stack trace that does not name the cause. 78 is EX_CONFIG of sysexits.h:
 * packaging/kurir.service does not start it again.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19) || major === 23) {
  process.stderr.write(
    `Kurir needs Node 22.19 or newer (24 LTS is best); this is ${process.version}. ` +
      'Start it with the Node that came along (node_modules/.bin/node), or install Node 24 from https://nodejs.org.\n',
  )
  process.exit(78)
}

/**
 * Each look at a drive that does not answer keeps one of these threads, and four are all that Node
 * has: no file would be read any more, not those of the window either.
 */
if (process.env.UV_THREADPOOL_SIZE === undefined) process.env.UV_THREADPOOL_SIZE = '16'

/** Makes all that this process writes its user's alone. Without effect on Windows. */
process.umask(0o077)

export {}
