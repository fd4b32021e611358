import { describe, expect, test } from 'vitest'
import { exampleCall } from '../../renderer/model/example-call.ts'
import { linkPhase } from '../../renderer/model/link-phase.ts'
import { fileLook } from '../../renderer/model/media-kind.ts'
import { leftLateAt, timelineOf } from '../../renderer/model/timeline.ts'
import { piecesOf } from '../../renderer/model/whatsapp-text.ts'
import { ATTEMPT_OUTCOMES, type Attempt } from '../../server/contract/messages.ts'
import { senderView } from './support/rows.ts'

describe('a file by its address', () => {
  test.each([
    ['https://x.example/a/foto%20toko.JPG?x=1', 'image', 'foto toko.JPG', 'x.example'],
    ['http://192.168.1.10:8080/video.mp4', 'video', 'video.mp4', '192.168.1.10:8080'],
    ['https://x.example/suara.opus', 'audio', 'suara.opus', 'x.example'],
    ['https://x.example/faktur', 'document', 'faktur', 'x.example'],
    ['https://x.example/', 'document', 'x.example', 'x.example'],
    ['http://files.example/%E0%A4%A.pdf', 'document', '%E0%A4%A.pdf', 'files.example'],
    ['http://files.example/100%', 'document', '100%', 'files.example'],
    ['not an address.png', 'image', 'not an address.png', null],
    ['upload:72001899-b976-4736-bace-a0effd5e9d42', 'image', 'nota.png', null, 'nota.png'],
  ])('%s', (address, kind, name, host, named?: string) => {
    expect(fileLook(address, named)).toEqual({ kind, name, host })
  })
})

describe('the history of a message', () => {
  const attempt = (number: number, outcome: Attempt['outcome'], reason: string | null = null): Attempt => ({
    number,
    at: `2026-11-21T08:00:0${number}.000Z`,
    ended_at: null,
    outcome,
    reason,
  })
  const entry = (type: string, seconds: number, detail: string | null = null) => ({
    type,
    at: `2026-11-21T08:00:0${seconds}.000Z`,
    detail,
  })

  test('says when it left, where that was long after its time', () => {
    const attempt_log = [attempt(1, 'offline'), attempt(2, 'acknowledged')]
    expect(leftLateAt({ due_at: '2026-11-20T20:00:00.000Z', attempt_log })).toBe('2026-11-21T08:00:02.000Z')
    expect(leftLateAt({ due_at: '2026-11-21T07:59:00.000Z', attempt_log })).toBeNull()
    expect(leftLateAt({ due_at: '2026-11-20T20:00:00.000Z', attempt_log: attempt_log.slice(0, 1) })).toBeNull()
  })

  test('has each attempt once, with how it ended', () => {
    const lines = timelineOf({
      timeline: [entry('queued', 0), entry('attempt', 1, 'no connection'), entry('attempt', 2, 'x'), entry('sent', 3)],
      attempt_log: [attempt(1, 'offline', 'no connection'), attempt(2, null)],
    })
    expect(lines).toMatchObject([
      { kind: 'received', after: 0 },
      { kind: 'attempt', number: 1, outcome: 'offline', reason: 'no connection', after: 1000 },
      { kind: 'attempt', number: 2, outcome: null, after: 1000 },
      { kind: 'status', status: 'sent', after: 1000 },
    ])
  })

  test('knows every outcome', () => {
    for (const outcome of ATTEMPT_OUTCOMES) {
      const lines = timelineOf({ timeline: [entry('attempt', 1)], attempt_log: [attempt(1, outcome)] })
      expect(lines).toMatchObject([{ outcome }])
    }
  })

  test('never goes back in time, though Meta reports whole seconds; leaves out what it does not know', () => {
    const lines = timelineOf({
      timeline: [entry('accepted', 2), entry('sent', 1), entry('from another version', 3)],
      attempt_log: [],
    })
    expect(lines).toMatchObject([{ after: 0 }, { after: 0 }])
    expect(lines).toHaveLength(2)
  })
})

describe("WhatsApp's formatting", () => {
  test.each([
    ['*tebal* dan _miring_', ['bold tebal', 'plain  dan ', 'italic miring']],
    ['~coret~ ```kode```', ['strike coret', 'plain  ', 'mono kode']],
    ['2*3*4 dan a_b_c', ['plain 2*3*4 dan a_b_c']],
    ['* bukan *', ['plain * bukan *']],
    ['', []],
  ])('%s', (text, expected) => {
    expect(piecesOf(text).map(({ style, text: piece }) => `${style} ${piece}`)).toEqual(expected)
  })
})

describe('how far linking is', () => {
  const linking = {
    method: 'qr',
    qr: 'x',
    pairing_code: null,
    expires_at: null,
    reason: null,
    reason_detail: null,
    passkey: null,
    passkey_code: null,
    version_unread: false,
  } as const
  test.each([
    ['before anything', { state: 'unlinked' }, false, false, 'asking'],
    ['a code is shown', { state: 'linking', linking }, true, true, 'asking'],
    ['before the first code', { state: 'connecting' }, true, false, 'asking'],
    ['the phone has scanned', { state: 'connecting' }, true, true, 'found'],
    ['done', { state: 'connected' }, true, true, 'linked'],
    ['given up', { state: 'unlinked' }, true, true, 'failed'],
  ] as const)('%s', (_, more, asked, shown, expected) => {
    expect(linkPhase(senderView(more), asked, shown)).toBe(expected)
  })
})

describe('a first call', () => {
  test('through a linked number or the sandbox', () => {
    const call = exampleCall(senderView({ sender_code: 'SND-SANDBOX', kind: 'sandbox' }), 'http://kurir', 'halo')
    expect(call).toMatchObject({ url: 'http://kurir/send', body: { sender_code: 'SND-SANDBOX', message: 'halo' } })
  })

  test('through an official number is a template', () => {
    const call = exampleCall(senderView({ kind: 'official' }), 'http://kurir', 'halo')
    expect(call).toMatchObject({ url: 'http://kurir/waba/send-template', body: { template_name: 'hello_world' } })
    expect(call.body).not.toHaveProperty('message')
  })

  test('without any sender names none', () => {
    expect(exampleCall(undefined, 'http://kurir', 'halo').body).not.toHaveProperty('sender_code')
  })
})
