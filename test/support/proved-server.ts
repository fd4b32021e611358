import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { systemClock } from '../../server/lib/clock.ts'
import { createProver, GREETING_PATH, type Instance, PROOF_HEADER, provedBy } from '../../server/lib/proof.ts'
import { startHttpServer, type TestServer } from './http-server.ts'

/** Starts a server that proves its identity as Kurir does, with answers from the test. */
export async function startProvedServer(
  instance: Instance,
  answer: (req: IncomingMessage, body: string) => unknown,
): Promise<TestServer> {
  const prover = createProver(instance, systemClock.elapsed)
  return startHttpServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://127.0.0.1')
    const json = { 'content-type': 'application/json' }
    if (pathname === GREETING_PATH) {
      const data = prover.greet(searchParams.get('nonce') ?? '')
      return void res.writeHead(200, json).end(JSON.stringify({ success: true, message: '', data }))
    }
    prover.check(req)
    const proved = provedBy(req)
    if (proved === undefined) return void res.writeHead(403).end()
    const text = JSON.stringify(answer(req, (await buffer(req)).toString()))
    res.writeHead(200, { ...json, [PROOF_HEADER]: proved.answer(200, text) }).end(text)
  })
}
