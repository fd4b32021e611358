import { expect, test } from 'vitest'
import { ERROR_STATUS } from '../../server/contract/errors.ts'
import { type Answer, SANDBOX, startApp } from '../support/app.ts'
import { type BadBody, badBodies, type Route } from '../support/bad-bodies.ts'
import { createTestClock } from '../support/clock.ts'
import { readOpenApi } from '../support/openapi.ts'

const AT_ONCE = 20

interface Operation {
  requestBody?: { content: { 'application/json': Route } }
}

function expectRefused(answer: Answer<unknown>, { body, contentType }: BadBody): void {
  const about = `${contentType} ${body.toString().slice(0, 500)} → ${answer.status} ${answer.text.slice(0, 500)}`
  expect(answer.status >= 400 && answer.status < 500, about).toBe(true)
  expect(answer.body.success, about).toBe(false)
  expect(ERROR_STATUS[answer.body.error.code], about).toBe(answer.status)
  expect(answer.body.message.length, about).toBeLessThan(5000)
}

/** Every route with a body gets each `nth` wrong value in every place, and `more` by chance. */
export async function badBodiesSuite(many: { nth: number; more: number }): Promise<void> {
  // Time stands still, so that nothing is written but by a body.
  const app = await startApp({ clock: createTestClock(), lives: 'file' })
  const { body: webhook } = await app.owner<{ id: string }>('/api/webhooks', { body: { url: 'http://127.0.0.1:9/' } })
  await app.owner('/send', { body: { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: 86_400 } })

  const { paths } = await readOpenApi<{ paths: Record<string, Record<string, Operation>> }>(app)
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      // Fonnte's answers say everything with 200: fonnte.test.ts.
      requestBody?.content['application/json'] === undefined || path.startsWith('/compat/')
        ? []
        : [{ method: method.toUpperCase(), path, body: requestBody.content['application/json'] }],
    ),
  )
  /** Of things that exist: a body that slipped through would change them. */
  const real = (path: string) => path.replace('{code}', SANDBOX).replace('{id}', webhook.data.id)

  test('all routes with a body are looked at', () => {
    expect(routes.length).toBeGreaterThanOrEqual(9)
  })

  for (const [i, { method, path, body }] of routes.entries()) {
    test(`${method} ${path} refuses bad bodies with a code and writes nothing`, async () => {
      const before = await app.disk.everything()
      const bodies = badBodies(body, { seed: i, ...many })
      const post = async () => {
        for (const bad of bodies) {
          const headers = { 'content-type': bad.contentType }
          expectRefused(await app.owner(real(path), { method, body: bad.body, headers }), bad)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, post))
      expect(await app.disk.everything()).toEqual(before)
    })
  }

  test('nothing of it was unforeseen', () => {
    expect(app.logs().match(/^\{"level":[4-6]0.*$/gm)).toBeNull()
  })
}
