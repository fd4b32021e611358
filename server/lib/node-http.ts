/**
 * Not imported, because `import` reads every export of a built-in module, and two of this one load
 * Node's WebSocket and `fetch`, which Kurir does not use: 2 to 15 MB.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
