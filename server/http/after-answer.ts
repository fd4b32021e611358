import type { ServerResponse } from 'node:http'

/** Acts once the caller has the answer, and ends the connection: for what ends the server too. */
export function afterAnswer(res: ServerResponse, act: () => void): void {
  res.setHeader('connection', 'close')
  res.once('close', act)
}
