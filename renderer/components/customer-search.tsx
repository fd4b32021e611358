import { Button, Group, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { customerPath, isNumber } from '../model/phone.ts'

/** A search field. A phone number leads to the customer's page, other words to the message log. */
export function CustomerSearch() {
  const { t } = useTranslation()
  const [, go] = useLocation()
  const [typed, setTyped] = useState('')
  const text = typed.trim()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (text !== '') go(isNumber(text) ? customerPath(text) : `/messages?q=${encodeURIComponent(text)}`)
  }

  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="sm" wrap="nowrap">
          <TextInput
            type="search"
            flex={1}
            maw={420}
            aria-label={t('customers.find')}
            placeholder={t('customers.findHint')}
            leftSection={<IconSearch size={16} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            {t('customers.show')}
          </Button>
        </Group>
      </form>
    </search>
  )
}
