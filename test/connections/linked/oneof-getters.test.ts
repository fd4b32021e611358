import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import '../../../server/connections/linked/index.ts'
import { proto } from 'baileys'

const { ButtonsMessage } = proto.Message

/** A plain object that begins with this member. */
function beginningWith(member: string): object {
  const object: Record<string, number> = {}
  object[member] = 1
  return object
}

test('the classes of messages leave room for other objects: two that begin alike share their class in V8', () => {
  setFlagsFromString('--allow-natives-syntax')
  const haveSameMap = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean
  for (let n = 0; n < 200; n += 1) {
    expect(haveSameMap(beginningWith(`member${n}`), beginningWith(`member${n}`))).toBe(true)
  }
})

test.each<[what: string, message: proto.Message.IButtonsMessage, expected: string | undefined]>([
  ['none', { contentText: 'a' }, undefined],
  ['one', { contentText: 'a', text: 'b' }, 'text'],
  ['one that is empty', { text: '' }, 'text'],
  ['null', { text: null }, undefined],
  ['the last of two', { text: 'b', imageMessage: {} }, 'imageMessage'],
])('a message says which of several members it has: %s', (_what, message, expected) => {
  expect(Reflect.get(new ButtonsMessage(message), 'header')).toBe(expected)
})
