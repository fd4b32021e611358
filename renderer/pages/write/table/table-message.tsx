import { Button, Checkbox, Menu, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { LONGEST_TEXT } from '../../../../server/slices/tables/contract.ts'
import { KeepText, SavedTexts } from '../saved-texts.tsx'
import type { TableDraft } from './use-table-draft.ts'

/** The sender, text, purpose and time of the rows' messages. */
export function TableMessage({ columns, draft }: { columns: string[]; draft: TableDraft }) {
  const { t } = useTranslation()
  const { message, chosen, unknown, choices, sender, purpose, at, wrongTime, set } = draft
  const wrong = { over: t('write.atOver'), unread: t('write.atUnread') }
  return (
    <Stack>
      <Select
        label={t('write.sender')}
        placeholder={t('write.chooseSender')}
        description={sender === undefined ? t('write.sandboxOnly') : undefined}
        required
        allowDeselect={false}
        data={choices.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
        value={sender?.sender_code ?? null}
        onChange={(sender_code) => set({ sender_code })}
      />
      <SavedTexts message={message} chosen={chosen} choose={({ id, text }) => set({ chosen: id, message: text })} />
      <Words columns={columns} message={message} unknown={unknown} set={(text) => set({ message: text })} />
      {chosen === null ? <KeepText message={message} kept={({ id }) => set({ chosen: id })} /> : null}
      <Checkbox
        label={t('tables.marketing')}
        description={t('tables.marketingHint')}
        checked={purpose === 'marketing'}
        onChange={(event) => set({ purpose: event.currentTarget.checked ? 'marketing' : 'transactional' })}
      />
      <TextInput
        type="datetime-local"
        label={t('write.at')}
        description={t('write.atHint')}
        error={wrongTime === null ? null : wrong[wrongTime]}
        value={at}
        onChange={({ currentTarget: { value, validity } }) => set({ at: value, atIncomplete: validity.badInput })}
      />
    </Stack>
  )
}

interface WordsProps {
  columns: string[]
  message: string
  /** Words in braces that name no column. */
  unknown: string[]
  set: (message: string) => void
}

/** The text, with buttons that insert a column's name at the cursor. */
function Words({ columns, message, unknown, set }: WordsProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLTextAreaElement>(null)

  function insert(name: string) {
    const { selectionStart: from, selectionEnd: to } = field.current ?? { selectionStart: 0, selectionEnd: 0 }
    set(`${message.slice(0, from)}{${name}}${message.slice(to)}`)
    field.current?.focus()
  }

  return (
    <>
      <Textarea
        ref={field}
        label={t('write.message')}
        description={t('tables.messageHint')}
        autosize
        minRows={3}
        maxRows={8}
        maxLength={LONGEST_TEXT}
        error={
          unknown.length === 0
            ? null
            : t('tables.unknown', { names: unknown.map((word) => `{${word}}`).join(', '), count: unknown.length })
        }
        value={message}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <Menu position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconPlus size={16} />} style={{ alignSelf: 'flex-start' }}>
            {t('tables.insert')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {columns.map((name) => (
            <Menu.Item key={name} onClick={() => insert(name)}>
              {`{${name}}`}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
