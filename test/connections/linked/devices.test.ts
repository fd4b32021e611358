import type { BinaryNode } from 'baileys'
import { describe, expect, test } from 'vitest'
import {
  asLid,
  type Device,
  isOutdated,
  jidOfDevice,
  participantHash,
  reachable,
  usableKeys,
  usersChangedBy,
} from '../../../server/connections/linked/account/devices.ts'

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }
const lid = (device: number, user = '111'): Device => ({ user, server: 'lid', device })

describe('an answer with keys', () => {
  const keys = (jid: string, ...without: string[]) =>
    node(
      'user',
      { jid },
      ['registration', 'identity', 'skey', 'key'].filter((tag) => !without.includes(tag)).map((tag) => node(tag)),
    )
  const refused = (jid: string, code: string) => node('user', { jid }, [node('error', { code })])
  const answer = (...users: BinaryNode[]) => node('iq', { type: 'result' }, [node('list', {}, users)])

  test('is used of those who gave keys', () => {
    const all = answer(
      keys('1@lid'),
      refused('1:2@lid', '406'),
      keys('1:3@lid', 'identity'),
      keys('1:4@lid', 'key'),
      refused('2@lid', '500'),
    )
    expect(usableKeys(all).content).toEqual([node('list', {}, [keys('1@lid'), keys('1:4@lid', 'key')])])
  })
  test('may be empty', () => {
    expect(usableKeys(node('iq')).content).toEqual([node('list', {}, [])])
  })
})

describe('the devices to write to', () => {
  const all = [lid(0), lid(1), lid(99), { user: '111', server: 'hosted.lid', device: 5 }]
  test('are those with a session; hosted ones are left out', () => {
    expect(reachable(all, () => true)).toEqual([lid(0), lid(1)])
    expect(reachable(all, ({ device }) => device === 1)).toEqual([lid(1)])
  })
  test('may be none', () => {
    expect(reachable(all, ({ device }) => device === 99)).toBeNull()
    expect(reachable([], () => true)).toBeNull()
  })
  test('of a number are those of its LID', () => {
    const asked = [
      { user: '6281', server: 's.whatsapp.net', device: 0 },
      { user: '6281', server: 's.whatsapp.net', device: 7 },
      { user: '6281', server: 'hosted', device: 99 },
    ]
    expect(asLid(asked, '111').map(jidOfDevice)).toEqual(['111@lid', '111:7@lid', '111:99@hosted.lid'])
  })
})

describe('the hash of the devices', () => {
  const written = [lid(0), lid(12), lid(3, '222')]
  const own = lid(1, '222')

  test('is six bytes in base64, in whatever order they are', () => {
    // printf '111.0:0@lid111.0:12@lid222.0:3@lid' | openssl dgst -sha256 -binary | head -c6 | base64
    expect(participantHash(written)).toBe('2:TpSABVtu')
    expect(participantHash(written.toReversed())).toBe(participantHash(written))
    expect(participantHash(written)).toHaveLength(10)
  })
  test('of an acknowledgement agrees with or without the sending device', () => {
    expect(isOutdated(participantHash(written), written, own)).toBe(false)
    expect(isOutdated(participantHash([...written, own]), written, own)).toBe(false)
    expect(isOutdated(participantHash([...written, lid(13)]), written, own)).toBe(true)
    expect(isOutdated(undefined, written, own)).toBe(false)
  })
})

describe('a notification makes worthless', () => {
  test.each<[string, BinaryNode, string[] | 'all' | undefined]>([
    [
      'both users of a contact with another device',
      node('notification', { type: 'devices', from: '6281@s.whatsapp.net', lid: '111@lid' }, [
        node('add', { device_hash: '2:x' }, [node('device', { jid: '6281:3@s.whatsapp.net', lid: '111:3@lid' })]),
      ]),
      ['6281', '111'],
    ],
    [
      'the user of a contact with one device less',
      node('notification', { type: 'devices', from: '111@lid' }, [
        node('remove', {}, [node('device', { jid: '111:3@lid' })]),
      ]),
      ['111'],
    ],
    [
      'all, where only a hash is named',
      node('notification', { type: 'devices', from: '6281@s.whatsapp.net' }, [node('update', { hash: 'abcd' })]),
      'all',
    ],
    [
      'the own lists',
      node('notification', { type: 'account_sync', from: '6281@s.whatsapp.net' }, [
        node('devices', { dhash: '2:x' }, [
          node('device', { jid: '6281:2@s.whatsapp.net' }),
          node('device', { jid: '111:2@lid' }),
        ]),
      ]),
      ['6281', '111'],
    ],
    [
      'nothing, when it is about something else',
      node('notification', { type: 'account_sync', from: '6281@s.whatsapp.net' }, [node('disappearing_mode')]),
      undefined,
    ],
    [
      'nothing, when it is of another type',
      node('notification', { type: 'picture', from: '6281@s.whatsapp.net' }),
      undefined,
    ],
  ])('%s', (_, notification, users) => {
    expect(usersChangedBy(notification)).toEqual(users)
  })
})
