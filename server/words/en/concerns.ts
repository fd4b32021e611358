import type { ConcernAction, ConcernCode } from '../../contract/concerns.ts'
import type { ConcernText } from '../concern-shape.ts'
import { linked } from './concerns-linked.ts'
import { official } from './concerns-official.ts'
import { program } from './concerns-program.ts'

export const concerns = { ...program, ...linked, ...official } as const satisfies Record<ConcernCode, ConcernText>

/** Labels of the one button. */
export const actions = {
  link: 'Link',
  link_again: 'Link again',
  add_number: 'Link a number',
  resume: 'Resume',
  use_here: 'Use it here',
  try_again: 'Try again',
  resume_all: 'Resume all',
  what_to_do: 'What to do',
  decide: 'Decide',
  enter_token: 'Enter a new token',
  enter_secret: 'Enter the secrets',
  correct_ids: 'Correct the IDs',
  register: 'Register the number',
  see_why: 'See why',
  see_messages: 'See them',
  see_callbacks: 'See them',
  see_refused: 'See them',
  see_prints: 'Open the printer',
  let_in: 'Let it in',
  change_limit: 'Change the limit',
  change_hours: 'Change the hours',
  change_pace: 'Change the pace',
  open_settings: 'Settings',
  back_up: 'Back up',
  update: 'Update',
} as const satisfies Record<ConcernAction, string>

/** Parts of the sentences of concerns. */
export const concernParts = {
  /** Behind the title where messages wait because of it, or failed today. */
  waiting: '{waiting} {waiting:message is|messages are} waiting.',
  failed: '{failed} {failed:message|messages} failed today.',
  /** A span of time: of the present day, or from a clock time. */
  today: 'today',
  sinceTime: 'since {time}',
  /** In place of the name of a number, and of several. */
  aNumber: 'a number',
  numbers: '{count} {count:number|numbers}',
  /** In place of the address of a webhook. */
  aWebhook: 'a webhook',
  /** In place of the name of a program, and of a gateway. */
  aProgram: 'a program',
  anotherGateway: 'another gateway',
  otherReasons: 'for other reasons',
} as const
