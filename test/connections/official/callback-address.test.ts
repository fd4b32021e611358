import { Agent } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { createProbe } from '../../../server/connections/official/account/setup.ts'
import { createTestClock } from '../../support/clock.ts'
import { startHttpServer } from '../../support/http-server.ts'

it('an endless answer from a wrong address is not read to the end', async () => {
  const server = await startHttpServer((_req, res) => {
    const more = () => {
      while (!res.destroyed && res.write('x'.repeat(64 * 1024)));
    }
    res.on('drain', more)
    more()
  })
  onTestFinished(server.close)
  const dispatcher = new Agent()
  onTestFinished(() => dispatcher.destroy())
  const probe = createProbe({ dispatcher, clock: createTestClock() })
  expect(await probe(server.url, 'token')).toBe('something else answers there (200)')
})
