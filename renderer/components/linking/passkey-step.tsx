import { Alert, Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { PasskeyAssertion } from '../../../server/contract/linking.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { desktop } from '../../api/desktop.ts'
import { useAnswerPasskey, useConfirmPasskey } from '../../api/senders.ts'
import { canConfirmHere } from '../../model/passkey.ts'
import { BusyButton } from '../busy-button.tsx'
import { CountdownRing } from '../countdown-ring.tsx'
import { ErrorState } from '../error-state.tsx'
import classes from './linking.module.css'
import { PasskeyHere } from './passkey-here.tsx'
import { PasskeyPaste } from './passkey-paste.tsx'

type Linking = NonNullable<SenderView['linking']>

/** The step in which WhatsApp wants a passkey: ways to give it, a code to compare, or a refusal. */
export function PasskeyStep({ sender, linking, again }: { sender: SenderView; linking: Linking; again: () => void }) {
  const { t } = useTranslation()
  const answer = useAnswerPasskey(sender.sender_code)
  const { passkey } = linking
  const send = (assertion: PasskeyAssertion) => answer.mutate(assertion)
  return (
    <Stack gap="lg" maw={720}>
      <div>
        <Title order={2}>{t('senders.linking.passkey.title')}</Title>
        <Text>{t('senders.linking.passkey.why')}</Text>
      </div>
      {passkey === null ? (
        <Alert variant="light" color="red" icon={<IconAlertCircle size={20} />}>
          {t('senders.linking.passkey.unknown')}
        </Alert>
      ) : (
        <>
          <Text size="sm" c="dimmed" component="div">
            <CountdownRing
              key={passkey.until}
              until={passkey.until}
              text={(seconds) => t('senders.linking.passkey.left', { minutes: Math.ceil(seconds / 60) })}
            />
          </Text>
          {linking.reason === 'passkey_refused' ? <Refused detail={linking.reason_detail} /> : null}
          {answer.error === null ? null : <ErrorState error={answer.error} />}
          {passkey.step === 'asked' ? (
            <>
              {canConfirmHere(desktop) ? <PasskeyHere desktop={desktop} options={passkey.options} send={send} /> : null}
              <PasskeyPaste options={passkey.options} busy={answer.isPending} send={send} />
            </>
          ) : null}
          {passkey.step === 'compare' ? (
            <Compare sender={sender} code={linking.passkey_code ?? ''} again={again} />
          ) : null}
          {passkey.step === 'checking' || passkey.step === 'finishing' ? (
            <Group role="status" gap="sm">
              <Loader size="sm" aria-hidden="true" />
              <Text>{t('senders.linking.passkey.checking')}</Text>
            </Group>
          ) : null}
        </>
      )}
      <Group>
        <Button variant="default" onClick={again}>
          {t('senders.linking.passkey.again')}
        </Button>
      </Group>
    </Stack>
  )
}

const FAULTS = ['other_challenge', 'other_origin', 'other_credential', 'unreadable', 'no_answer'] as const

function Refused({ detail }: { detail: string | null }) {
  const { t } = useTranslation()
  const fault = FAULTS.find((one) => one === detail)
  return (
    <Alert
      variant="light"
      color="red"
      role="alert"
      icon={<IconAlertCircle size={20} />}
      title={t('senders.linking.passkey.refused')}
    >
      {fault === undefined
        ? t('senders.linking.passkey.refusedHint', { code: detail ?? '–' })
        : t(`senders.linking.passkey.faults.${fault}`)}
    </Alert>
  )
}

function Compare({ sender, code, again }: { sender: SenderView; code: string; again: () => void }) {
  const { t } = useTranslation()
  const confirm = useConfirmPasskey(sender.sender_code)
  return (
    <Stack gap="sm" align="flex-start" className={classes.code ?? ''}>
      <Text>{t('senders.linking.passkey.compare')}</Text>
      <div className={classes.letters} role="status">
        {code}
      </div>
      <Group>
        <BusyButton busy={confirm.isPending} onClick={() => confirm.mutate()}>
          {t('senders.linking.passkey.same')}
        </BusyButton>
        <Button variant="default" onClick={again}>
          {t('senders.linking.passkey.other')}
        </Button>
      </Group>
      {confirm.error === null ? null : <ErrorState error={confirm.error} />}
    </Stack>
  )
}
