import { Anchor, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCreateKey } from '../../api/keys.ts'
import { useSenders } from '../../api/senders.ts'
import { useSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Snippets } from '../../components/snippets.tsx'
import { exampleCall } from '../../model/example-call.ts'

export function KeyStep() {
  const { t } = useTranslation()
  const create = useCreateKey()
  const [name, setName] = useState(() => t('welcome.key.example'))
  const apiUrl = useSettings().data?.api_url ?? location.origin
  const senders = useSenders().data ?? []
  const sandbox = senders.find(({ kind }) => kind === 'sandbox')
  const real = senders.find(({ kind, state }) => kind === 'linked' && state === 'connected')
  const key = create.data?.key
  const call = exampleCall(sandbox, apiUrl, t('welcome.key.hello'))

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
            <BusyButton type="submit" busy={create.isPending}>
              {t('welcome.key.create')}
            </BusyButton>
          </Group>
        </form>
      ) : (
        <SecretOnce title={t('keys.once')} hint={t('keys.onceHint')} value={key} />
      )}
      {create.error === null ? null : <ErrorState makes error={create.error} />}
      <div>
        <Text fw={600} mt="sm">
          {t('welcome.key.call')}
        </Text>
        <Text size="sm" c="dimmed">
          {real === undefined
            ? t('welcome.key.callSandbox')
            : t('welcome.key.callReal', { name: real.name, code: real.sender_code })}
        </Text>
      </div>
      <Snippets label={t('welcome.key.call')} call={call} {...(key === undefined ? {} : { apiKey: key })} />
      <Anchor href={`${apiUrl}/docs`} target="_blank" rel="noreferrer" size="sm">
        {t('welcome.key.docs')}
      </Anchor>
    </Stack>
  )
}
