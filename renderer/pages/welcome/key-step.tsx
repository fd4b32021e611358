import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCreateKey } from '../../api/keys.ts'
import { useSenders } from '../../api/senders.ts'
import { useSettings } from '../../api/settings.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Snippets } from '../../components/snippets.tsx'

export function KeyStep() {
  const { t } = useTranslation()
  const create = useCreateKey()
  const [name, setName] = useState(() => t('welcome.key.example'))
  const apiUrl = useSettings().data?.api_url ?? location.origin
  const sender_code = useSenders().data?.find((sender) => sender.kind === 'sandbox')?.sender_code
  const key = create.data?.key
  const call = {
    url: `${apiUrl}/send`,
    body: { sender_code, phone: '6281234567890', message: t('welcome.key.hello'), reference_id: 'INV-1001' },
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    create.mutate({ kind: 'global', name })
  }

  return (
    <Stack>
      <Title order={2}>{t('welcome.key.heading')}</Title>
      <Text maw={640}>{t('welcome.key.text')}</Text>
      {key === undefined ? (
        <form onSubmit={submit}>
          <Group gap="sm" align="flex-end">
            <TextInput
              label={t('welcome.key.name')}
              required
              maxLength={80}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" loading={create.isPending}>
              {t('welcome.key.create')}
            </Button>
          </Group>
        </form>
      ) : (
        <SecretOnce title={t('keys.once')} hint={t('keys.onceHint')} value={key} />
      )}
      {create.error === null ? null : <ErrorState error={create.error} />}
      <Text fw={600} mt="sm">
        {t('welcome.key.call')}
      </Text>
      <Snippets label={t('welcome.key.call')} call={call} {...(key === undefined ? {} : { apiKey: key })} />
      <Anchor href={`${apiUrl}/docs`} target="_blank" rel="noreferrer" size="sm">
        {t('welcome.key.docs')}
      </Anchor>
    </Stack>
  )
}
