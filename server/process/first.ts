// Must be imported before everything else, and must import nothing.

/**
 * An older Node fails because its own modules lack a name, or in the database's native module, with
 * a stack trace that does not tell the cause. 78 is EX_CONFIG of sysexits.h:
 * packaging/kurir.service does not restart after it.
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
 * Each question to a drive that does not answer blocks one of these threads. Node has four by
 * default; once all are blocked, no file can be read, not even the files of the window.
 */
if (process.env.UV_THREADPOOL_SIZE === undefined) process.env.UV_THREADPOOL_SIZE = '16'

/**
 * Files that this process creates are accessible to its own user only. Has no effect on Windows.
 */
process.umask(0o077)

export {}
