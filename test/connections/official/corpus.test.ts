import { describe, expect, it } from 'vitest'
import { readCallback } from '../../../server/connections/official/inbox/callback.ts'
import { metaJson } from '../../support/graph-peer/callbacks.ts'
import { applied, startOfficial } from '../../support/official.ts'
import { ACCOUNT_NEWS } from './corpus/account.ts'
import { type Case, CUSTOMER, CUSTOMER_ID } from './corpus/case.ts'
import { INBOUND } from './corpus/inbound.ts'
import { OTHERS } from './corpus/others.ts'
import { STATUSES } from './corpus/statuses.ts'
import { TEMPLATES } from './corpus/templates.ts'

const CORPUS: [string, Case[]][] = [
  ['statuses', STATUSES],
  ['what customers write', INBOUND],
  ['templates', TEMPLATES],
  ['number and account', ACCOUNT_NEWS],
  ['everything else', OTHERS],
]
const ALL = CORPUS.flatMap(([, cases]) => cases)

describe.each(CORPUS)('%s', (_group, cases) => {
  it.each(cases.map((one) => [one.name, one] as const))(
    '%s',
    (_name, { body, updates, received = [], ignored = [] }) => {
      const read = readCallback(Buffer.from(metaJson(body)))
      expect(read?.updates).toMatchObject(updates)
      expect(read?.updates).toHaveLength(updates.length)
      expect(read?.received).toMatchObject(received)
      expect(read?.received).toHaveLength(received.length)
      expect(read?.ignored).toEqual(ignored)
    },
  )
})

describe('no text of a customer gets into data that may be stored', () => {
  it.each(INBOUND.map((one) => [one.name, one.body] as const))('%s', (_name, body) => {
    const { updates, ignored } = readCallback(Buffer.from(metaJson(body))) ?? {}
    const kept = JSON.stringify({ updates, ignored })
    expect(kept).not.toMatch(/rahasia/i)
    expect(kept).not.toContain(CUSTOMER)
    expect(kept).not.toContain(CUSTOMER_ID)
  })

  it('not from any other body either, and the corpus contains the mark', () => {
    const kept = ALL.map(({ body }) => {
      const { updates, ignored } = readCallback(Buffer.from(metaJson(body))) ?? {}
      return { updates, ignored }
    })
    expect(JSON.stringify(kept)).not.toMatch(/rahasia/i)
    const holding = (cases: Case[]) => cases.filter(({ body }) => /rahasia/i.test(JSON.stringify(body))).length
    expect(holding(INBOUND)).toBe(INBOUND.length)
    expect(holding(ALL)).toBeGreaterThan(INBOUND.length + 10)
  })

  it('only the type of a message is passed on, and the text of texts, captions and choices', () => {
    const received = INBOUND.flatMap(({ body }) => readCallback(Buffer.from(metaJson(body)))?.received ?? [])
    for (const { type, text, ...rest } of received) {
      expect(JSON.stringify(rest)).not.toMatch(/rahasia/i)
      const isWritten = ['text', 'button', 'interactive', 'image', 'video', 'document', 'edit'].includes(type)
      if (!isWritten) expect(text).toBeNull()
    }
  })
})

it('the program accepts every body of the corpus without an error', async () => {
  const { app, meta } = await startOfficial()
  for (const { name, body } of ALL) expect([name, (await meta.raw(metaJson(body))).status]).toEqual([name, 200])
  await applied(app)
  expect(app.logs()).not.toMatch(/"level":(50|60|"error"|"fatal")/)
  expect(app.logs()).not.toMatch(/rahasia/i)
  expect((await app.fetch('/health')).status).toBe(200)
})
