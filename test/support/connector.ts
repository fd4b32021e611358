import { buildConnector } from 'undici'

export interface RecordingConnector {
  connect: buildConnector.connector
  /** Every `address:port` that was to be connected to. */
  calls: string[]
}

/**
 * Stands where the network begins: records the address, and leads to 127.0.0.1 instead, so no
 * packet leaves the PC.
 */
export function createRecordingConnector(): RecordingConnector {
  const calls: string[] = []
  const toLoopback = buildConnector({ allowH2: false })
  return {
    calls,
    connect: (options, callback) => {
      calls.push(`${options.hostname}:${options.port}`)
      toLoopback({ ...options, hostname: '127.0.0.1' }, callback)
    },
  }
}
