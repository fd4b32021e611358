import { Group, Stack, Textarea, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PasskeyAssertion, PasskeyOptions } from '../../../server/contract/linking.ts'
import { consoleLine, readAssertion } from '../../model/passkey.ts'
import { BusyButton } from '../busy-button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { LinkSteps } from './link-steps.tsx'

interface PasskeyPasteProps {
  options: PasskeyOptions
  busy: boolean
  send: (assertion: PasskeyAssertion) => void
}

/** A browser that shows WhatsApp signs with the passkey, and the owner pastes its answer here. */
export function PasskeyPaste({ options, busy, send }: PasskeyPasteProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    const assertion = readAssertion(text)
    setWrong(assertion === null)
    if (assertion !== null) send(assertion)
  }

  return (
    <Stack gap="md">
      <Title order={3}>{t('senders.linking.passkey.browser')}</Title>
      <LinkSteps
        steps={[
          t('senders.linking.passkey.stepOpen'),
          t('senders.linking.passkey.stepConsole'),
          t('senders.linking.passkey.stepRun'),
          t('senders.linking.passkey.stepPaste'),
        ]}
      />
      <Group>
        <CopyButton value={consoleLine(options)} label={t('senders.linking.passkey.copyLine')} />
      </Group>
      <form onSubmit={submit}>
        <Stack gap="sm" align="flex-start">
          <Textarea
            w="100%"
            label={t('senders.linking.passkey.answer')}
            description={t('senders.linking.passkey.answerHint')}
            error={isWrong ? t('senders.linking.passkey.notAnAnswer') : undefined}
            autosize
            minRows={3}
            maxRows={6}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            required
          />
          <BusyButton type="submit" busy={busy} variant="default">
            {t('senders.linking.passkey.send')}
          </BusyButton>
        </Stack>
      </form>
    </Stack>
  )
}
