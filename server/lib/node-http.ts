/**
 * `import` reads every export of a module of Node, and two of this one load all of Node's WebSocket
 * and `fetch`, which Kurir does not use: 2 to 15 MB.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
