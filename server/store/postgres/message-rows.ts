import { askedTemplate, SHOWN_IN_LIST } from '../../contract/messages.ts'
import { type Columns, jsonOrNull, textOrNull } from '../columns.ts'
import { LONG_TEMPLATE, MESSAGE } from '../message-columns.ts'
import type { Message } from '../messages.ts'

/**
 * JSON may name NUL and halves of characters, as where a text was cut in an emoji; JSONB refuses
 * the whole text for them.
 */
export const asJsonb = (column: string): string =>
  `regexp_replace(${column}, '\\\\u(0000|d[89a-f]..)', '\\\\ufffd', 'gi')::jsonb`

/**
 * A message, of long texts only as much as a list shows, or says that it leaves out: they are never
 * read whole.
 */
export const SHORT_MESSAGE: Columns<Message> = {
  ...MESSAGE,
  body: textOrNull(`substr(m.body, 1, ${SHOWN_IN_LIST.textLength})`),
  template: jsonOrNull(
    `CASE WHEN octet_length(m.template) > ${LONG_TEMPLATE}
       THEN jsonb_set(${asJsonb('m.template')}, '{components}', '[]')::text ELSE m.template END`,
    askedTemplate,
  ),
  metadata: textOrNull(`substr(m.metadata, 1, ${SHOWN_IN_LIST.jsonBytes + 1})`),
}
