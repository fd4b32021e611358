import { Autocomplete, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatPhone } from '../../../server/contract/phone.ts'
import { useFoundRecipients } from '../../api/recipients.ts'

const SOON = 200

interface RecipientFieldProps {
  typed: string
  setTyped: (typed: string) => void
  error: ReactNode
}

/** A field for a number, or for words of an earlier message that find its customer. */
export function RecipientField({ typed, setTyped, error }: RecipientFieldProps) {
  const { t } = useTranslation()
  const [words] = useDebouncedValue(typed.trim(), SOON)
  const found = useFoundRecipients(words).data ?? []
  const hints = new Map(
    found.map((row) => [formatPhone(row.recipient), row.reference_id ?? row.message ?? row.template?.name ?? '']),
  )
  return (
    <Autocomplete
      label={t('write.phone')}
      description={t('write.phoneHint')}
      required
      error={error}
      autoComplete="off"
      data={[...hints.keys()]}
      // Shows all options: the server has already filtered, by more than the numbers.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          {option.value}
          <Text size="xs" c="dimmed" lineClamp={1}>
            {hints.get(option.value)}
          </Text>
        </div>
      )}
      value={typed}
      onChange={setTyped}
    />
  )
}
