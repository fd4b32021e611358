import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { startHttpServer } from './http-server.ts'

/**
 * Starts a proxy to Kurir that applies `faults` to the first calls, by default a lost answer and
 * then a 503, and works afterwards.
 */
export async function startPoorLine(target: string, faults = ['lost', 'later']) {
  let calls = 0
  const server = await startHttpServer(async (req, res) => {
    const body = await buffer(req)
    const fault = faults[calls]
    calls += 1
    if (fault === 'later') {
      res.writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' })
      res.end('{"success":false,"message":"Kurir is closing.","error":{"code":"shutting_down","retry_after":0}}')
      return
    }
    const { host: _, connection: __, ...headers } = req.headers
    const passed = request(target + req.url, { method: req.method, headers }, (answer) => {
      if (fault === 'lost') {
        answer.resume()
        answer.on('end', () => res.destroy())
        return
      }
      const { connection: ___, ...answered } = answer.headers
      res.writeHead(answer.statusCode ?? 500, answered)
      answer.pipe(res)
    })
    passed.end(body)
  })
  onTestFinished(server.close)
  return { url: server.url, calls: () => calls }
}
