import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent as UndiciAgent } from 'undici'
import { createCertificate } from './tls.ts'

type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void

/** Starts an https host for encrypted media. Uploads can be fetched under their `direct_path`. */
export async function startMediaHost() {
  const files = new Map<string, Buffer>()
  const { key, cert } = createCertificate()
  let refusal: number | undefined
  let misbehaviour: Misbehaviour | undefined

  const server = createServer({ key, cert }, (request, response) => {
    const path = String(request.url).split('?')[0] ?? ''
    host.requests.push({ method: String(request.method), path })
    if (misbehaviour !== undefined) return misbehaviour(request, response)
    if (refusal !== undefined) return response.writeHead(refusal).end()
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        files.set(path, Buffer.concat(chunks))
        response.end(JSON.stringify({ url: `https://${host.address}${path}`, direct_path: path }))
      })
      return
    }
    if (request.method === 'DELETE') {
      response.writeHead(files.delete(path) ? 200 : 404).end()
      return
    }
    const file = files.get(path)
    response.writeHead(file ? 200 : 404).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ ca: cert })
  // Connections are closed at once, so that a closed program leaves none behind.
  const dispatcher = new UndiciAgent({ connect: { ca: cert }, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })

  const host = {
    /** Host and port, as in the answer to `media_conn`. */
    address: `127.0.0.1:${port}`,
    /** Hosts in that answer, best first. Tests may insert others. */
    named: [`127.0.0.1:${port}`],
    certificate: cert,
    /** A client's `fetchAgent` that trusts this host. */
    agent,
    /** Dispatcher for undici that trusts this host. */
    dispatcher,
    requests: [] as { method: string; path: string }[],
    file: (path: string) => files.get(path),
    put: (path: string, content: Buffer) => void files.set(path, content),
    /** Answers all requests with this status; call without an argument to end it. */
    refuse(status?: number) {
      refusal = status
    },
    /** Handles all requests in this way; call without an argument to end it. */
    misbehave(how?: Misbehaviour) {
      misbehaviour = how
    },
    async close() {
      agent.destroy()
      await dispatcher.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}
export type MediaHost = Pick<Awaited<ReturnType<typeof startMediaHost>>, 'address' | 'file' | 'put'>
