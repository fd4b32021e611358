import { Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCreateSender, useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { LinkPanel } from '../../components/linking/link-panel.tsx'
import { countryFor } from '../../model/phone.ts'

export function LinkStep() {
  const { t } = useTranslation()
  const linked = useSenders().data?.find((sender) => sender.kind === 'linked')
  return (
    <Stack>
      <Title order={2}>{t('welcome.link.heading')}</Title>
      {linked === undefined ? <NameFirst /> : <LinkPanel sender={linked} />}
    </Stack>
  )
}

/** Creates the sender by its name. Afterwards LinkPanel takes this place and asks for a code. */
function NameFirst() {
  const { t, i18n } = useTranslation()
  const create = useCreateSender()
  const [name, setName] = useState(() => t('welcome.link.example'))

  function submit(event: FormEvent) {
    event.preventDefault()
    create.mutate({ kind: 'linked', name, country_code: countryFor(undefined, [], i18n.language) })
  }

  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        <Text>{t('welcome.link.text')}</Text>
        <TextInput
          label={t('welcome.link.name')}
          description={t('senders.form.nameHint')}
          required
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <BusyButton type="submit" busy={create.isPending} style={{ alignSelf: 'flex-start' }}>
          {t('welcome.link.start')}
        </BusyButton>
        <Text size="sm" c="dimmed">
          {t('senders.linking.risk')}
        </Text>
        {create.error === null ? null : <ErrorState error={create.error} />}
      </Stack>
    </form>
  )
}
