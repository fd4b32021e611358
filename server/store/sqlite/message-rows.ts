import { askedTemplate, SHOWN_IN_LIST } from '../../contract/messages.ts'
import { type Columns, jsonOrNull, textOrNull } from '../columns.ts'
import { LONG_TEMPLATE, MESSAGE } from '../message-columns.ts'
import type { Message } from '../messages.ts'

/**
 * A message, of long texts only as much as a list shows, or says that it leaves out: they are never
 * read whole.
 */
export const SHORT_MESSAGE: Columns<Message> = {
  ...MESSAGE,
  body: textOrNull(`substr(m.body, 1, ${SHOWN_IN_LIST.textLength})`),
  template: jsonOrNull(
    `iif(octet_length(m.template) > ${LONG_TEMPLATE}, json_set(m.template, '$.components', json('[]')), m.template)`,
    askedTemplate,
  ),
  metadata: textOrNull(`substr(m.metadata, 1, ${SHOWN_IN_LIST.jsonBytes + 1})`),
}
