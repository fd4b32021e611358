import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { OTHER_CLIENTS } from '../support/other-clients.ts'
import { startPoorLine } from '../support/poor-line.ts'
import { run } from '../support/run.ts'

describe.each(OTHER_CLIENTS)('docs/clients/$folder', ({ folder, missing, compile, send, ...differs }) => {
  const compiled = mkdtempSync(join(tmpdir(), 'kurir-clients-'))
  afterAll(() => rmSync(compiled, { recursive: true, force: true }))
  let app: TestApp

  beforeAll(async () => {
    if (missing) return
    if (compile !== undefined) expect(await run(compile(compiled), { env: process.env })).toMatchObject({ code: 0 })
    app = await startApp({ lives: 'file' })
  })

  const call = async (url: string, ...words: string[]) => {
    const of = { PATH: process.env.PATH, HOME: compiled, LC_ALL: 'C.UTF-8' }
    const kurir = { KURIR_URL: url, KURIR_KEY: await app.key({ sender: SANDBOX }), KURIR_SENDER: SANDBOX }
    return run([...send(compiled), ...words], { env: { ...of, ...kurir } })
  }
  const sent = async (reference: string) => {
    // A shop writes the number of its order into the reference.
    const { data } = (await app.owner<MessageRow[]>('/messages?limit=200')).body
    return data.filter(({ reference_id }) => reference_id?.includes(reference))
  }

  test.skipIf(missing)('sends a text in any letters', async () => {
    const message = 'Terima kasih, "Bu Sri" \\ Rp 10.000\n\t– 100 % 🙏'
    const { err, code } = await call(app.url, '+62 812-3456-0002', message, 'INV-1')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(await sent('INV-1')).toEqual([expect.objectContaining({ recipient: '6281234560002' })])
    expect((await sent('INV-1'))[0]?.message).toContain(message)
  })

  test.skipIf(missing)('sends once where an answer is lost and another says "later"', async () => {
    const reference = `INV-${randomUUID()}`
    const line = await startPoorLine(app.url)
    const { err, code } = await call(line.url, '6281234560002', 'Lunas', reference)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(line.calls()).toBe(3)
    expect(await sent(reference)).toHaveLength(1)
  })

  test.skipIf(missing)('says why Kurir refuses', async () => {
    const line = await startPoorLine(app.url, [])
    const { err, code } = await call(line.url, '12', 'Lunas', 'INV-3')
    expect(code).toBe(1)
    expect(err).toMatch(differs.refusal ?? /invalid_request.*phone/)
    expect(line.calls()).toBe(differs.refused ?? 1)
  })
})
