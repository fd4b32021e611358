import { describe, expect, test } from 'vitest'
import {
  type AccountForm,
  ASSUMED_FORM,
  type Attempted,
  afterAttempt,
  type ContactForm,
  type Evidence,
  formAfter,
  formFor,
} from '../../../server/connections/linked/account/addressing.ts'

const BY_LID: AccountForm = { form: 'lid', proof: 'prop' }
const BY_NUMBER: AccountForm = { form: 'pn', proof: 'client_props' }

describe('what an account says of itself', () => {
  test.each<[Evidence, AccountForm['form'], AccountForm['proof']]>([
    [{ from: 'client_props', migrated: true }, 'lid', 'client_props'],
    [{ from: 'client_props', migrated: false }, 'pn', 'client_props'],
    [{ from: 'client_props', migrated: undefined }, 'lid', 'assumed'],
    [{ from: 'prop', migrated: true }, 'lid', 'prop'],
    [{ from: 'prop', migrated: false }, 'lid', 'assumed'],
    [{ from: 'history', migratedAt: 1_760_000_000 }, 'lid', 'history'],
    [{ from: 'history', migratedAt: 0 }, 'lid', 'assumed'],
  ])('%j', (evidence, form, proof) => {
    expect(formAfter(ASSUMED_FORM, evidence)).toEqual({ form, proof })
  })

  test('never takes a migration back', () => {
    for (const evidence of [
      { from: 'client_props', migrated: false },
      { from: 'prop', migrated: false },
      { from: 'history', migratedAt: 0 },
    ] satisfies Evidence[]) {
      expect(formAfter(BY_LID, evidence)).toBe(BY_LID)
    }
  })
})

/** Sends messages one after the other against an account of WhatsApp's; returns the forms that were written for each. */
function send(
  refuses: (form: 'lid' | 'pn') => string | undefined,
  { account = BY_NUMBER, contact = null as ContactForm | null, known = true, locked = false, messages = 1 } = {},
) {
  const written: string[] = []
  let state = { account, contact }
  for (let message = 0; message < messages; message += 1) {
    let form = formFor(state.account, state.contact)
    let turnedBy: Attempted['turnedBy']
    for (;;) {
      written.push(`${message} ${form}`)
      const after = afterAttempt({ ...state, form, turnedBy, error: refuses(form), known, locked })
      state = { account: after.account, contact: after.contact }
      if (after.again === undefined) break
      ;({ form, turnedBy } = after.again)
    }
  }
  return { ...state, written }
}

describe('an account that was taken for an unmigrated one', () => {
  const migrated = (form: string) => (form === 'pn' ? '400' : undefined)

  test('turns to LIDs with the first 400, and stays', () => {
    const { account, written } = send(migrated, { messages: 3 })
    expect(written).toEqual(['0 pn', '0 lid', '1 lid', '2 lid'])
    expect(account).toEqual({ form: 'lid', proof: 'acknowledged' })
  })

  test('and the other way round', () => {
    const { account, written } = send((form) => (form === 'lid' ? '400' : undefined), { account: BY_LID, messages: 2 })
    expect(written).toEqual(['0 lid', '0 pn', '1 pn'])
    expect(account).toEqual({ form: 'pn', proof: 'acknowledged' })
  })

  test('does not turn when both forms are refused: each message is written twice at most', () => {
    const { account, written } = send(() => '400', { messages: 2 })
    expect(written).toEqual(['0 pn', '0 lid', '1 pn', '1 lid'])
    expect(account).toBe(BY_NUMBER)
  })
})

test('an account that says nothing is written to by LID, which costs no more than a 400', () => {
  const { account, written } = send((form) => (form === 'lid' ? '400' : undefined), {
    account: ASSUMED_FORM,
    known: false,
    messages: 2,
  })
  expect(written).toEqual(['0 lid', '0 pn', '1 pn'])
  expect(account).toEqual({ form: 'pn', proof: 'acknowledged' })
})

describe('a contact who is refused with 463', () => {
  const moved = (form: string) => (form === 'pn' ? '463' : undefined)

  test('is reached in the other form, which is remembered for that contact alone', () => {
    const { account, contact, written } = send(moved, { messages: 3 })
    expect(written).toEqual(['0 pn', '0 lid', '1 lid', '2 lid'])
    expect(account).toBe(BY_NUMBER)
    expect(contact).toEqual({ form: 'lid', whileAccountUses: 'pn' })
  })

  test('is tried in the other form once, not with every message', () => {
    expect(send(() => '463', { messages: 3 }).written).toEqual(['0 pn', '0 lid', '1 pn', '2 pn'])
  })

  test('is not tried again when the other form is refused with 400', () => {
    const { account, written } = send((form) => (form === 'pn' ? '463' : '400'), { messages: 2 })
    expect(written).toEqual(['0 pn', '0 lid', '1 pn'])
    expect(account).toBe(BY_NUMBER)
  })

  test.each([
    ['a stranger', { known: false }],
    ['anybody under a lock', { locked: true }],
  ])('is not tried in the other form: %s', (_, who) => {
    expect(send(moved, { ...who, messages: 2 }).written).toEqual(['0 pn', '1 pn'])
  })

  test('starts over when the account has turned', () => {
    const contact: ContactForm = { form: 'pn', whileAccountUses: 'lid' }
    expect(formFor({ form: 'lid', proof: 'prop' }, contact)).toBe('pn')
    expect(formFor({ form: 'pn', proof: 'acknowledged' }, contact)).toBe('pn')
    expect(formFor(BY_LID, { form: 'lid', whileAccountUses: 'pn' })).toBe('lid')
    expect(send(moved, { contact }).written).toEqual(['0 pn', '0 lid'])
  })
})

test.each(['404', '429', '475', '479', '500', '503', undefined])('an acknowledgement with %s says nothing', (error) => {
  const { written, account, contact } = send(() => error)
  expect(written).toEqual(['0 pn'])
  expect({ account, contact }).toEqual({ account: BY_NUMBER, contact: null })
})
