import { buildConnector } from 'undici'

export interface RecordingConnector {
  connect: buildConnector.connector
  /** Every requested `address:port`. */
  calls: string[]
}

/**
 * Replaces the network: records each address and connects to 127.0.0.1 instead, so that no packet
 * leaves this PC.
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
