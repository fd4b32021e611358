import { useState } from 'react'
import { formatPhone } from '../../../server/contract/phone.ts'
import { fillIn, ownFieldsOf } from '../../../server/contract/placeholders.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { changedFields } from '../../model/changed-fields.ts'
import { sendAt } from '../../model/send-at.ts'
import type { Recipient } from './addressing.tsx'
import { useFile } from './file-field.tsx'

const EMPTY = {
  message: '',
  /** Id of the saved text that the message came from. */
  chosen: null as string | null,
  /** Values for words in braces that the owner fills in. */
  own: {} as Readonly<Record<string, string>>,
  reference: '',
  at: '',
  /** True if the field for the time holds only a part of a time. */
  atIncomplete: false,
}

export type TextDraft = ReturnType<typeof useTextDraft>

/** State of a message that is being written, and the body of its call. */
export function useTextDraft({ phone, group, sender }: Recipient) {
  const format = useFormat()
  const file = useFile()
  const [fields, setFields] = useState(EMPTY)
  const { message, own, reference, at, atIncomplete } = fields
  const now = new Date().toISOString()
  const known = {
    date: format.date(now),
    time: format.clock(now),
    phone: group === null && /^\d+$/.test(phone) ? formatPhone(phone) : '',
    sender: sender?.name ?? '',
  }
  const written = fillIn(message, known, own)
  const when = sendAt(at, atIncomplete, Date.now())
  const sender_code = sender?.sender_code ?? ''
  const isEmpty = written === '' && file.stored === undefined
  return {
    ...{ ...fields, written, file },
    set: (change: Partial<typeof EMPTY>) => setFields((before) => ({ ...before, ...change })),
    /** Empties the draft after sending. Fields that were changed since then stay. */
    empty: () => {
      setFields((now) => ({ ...EMPTY, ...changedFields(fields, now) }))
      file.clear()
    },
    ownFields: ownFieldsOf(message),
    missing: ownFieldsOf(message).filter((name) => !own[name]?.trim()),
    wrongTime: 'wrong' in when ? when.wrong : null,
    ready: sender_code !== '' && (group ?? phone).trim() !== '' && !isEmpty && !file.pending,
    body: {
      ...{ sender_code, ...(group === null ? { phone } : { group }), message: written },
      ...(file.stored === undefined ? {} : { file_id: file.stored.file_id }),
      ...('at' in when && when.at !== undefined ? { send_at: when.at } : {}),
      ...(reference === '' ? {} : { reference_id: reference }),
    },
  }
}
