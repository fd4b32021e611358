import { Stack, Text, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useSenders } from '../../api/senders.ts'
import { countryFor, typedPhone } from '../../model/phone.ts'
import { BusyButton } from '../busy-button.tsx'
import { CountdownRing } from '../countdown-ring.tsx'
import { LinkSteps } from './link-steps.tsx'
import classes from './linking.module.css'

interface CodeMethodProps {
  sender: SenderView
  phone: string
  setPhone: (phone: string) => void
  pending: boolean
  ask: (phone: string) => void
}

/**
 * Linking by a code of eight letters, which is typed into WhatsApp. For screens that no camera can
 * scan, such as the phone's own.
 */
export function CodeMethod({ sender, phone, setPhone, pending, ask }: CodeMethodProps) {
  const { t, i18n } = useTranslation()
  const senders = useSenders().data ?? []
  const { pairing_code, expires_at } = sender

  function submit(event: FormEvent) {
    event.preventDefault()
    ask(typedPhone(phone, countryFor(sender, senders, i18n.language)))
  }

  return (
    <div className={classes.method}>
      <LinkSteps
        steps={[
          t('senders.linking.stepNumber'),
          t('senders.linking.stepOpen'),
          t('senders.linking.stepMenu'),
          t('senders.linking.stepCode'),
          t('senders.linking.stepType'),
        ]}
      />
      <Stack className={classes.code ?? ''} gap="lg">
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              type="tel"
              label={t('senders.linking.phone')}
              description={t('senders.linking.phoneHint')}
              autoComplete="tel"
              value={phone}
              onChange={(event) => setPhone(event.currentTarget.value)}
              required
            />
            <BusyButton type="submit" busy={pending} variant={pairing_code === null ? 'filled' : 'default'}>
              {t('senders.linking.getCode')}
            </BusyButton>
          </Stack>
        </form>
        {pairing_code === null ? null : (
          <Stack align="center" gap="sm" role="status">
            <div className={classes.letters}>
              <span>{pairing_code.slice(0, 4)}</span>
              <span aria-hidden="true">-</span>
              <span>{pairing_code.slice(4)}</span>
            </div>
            {expires_at === null ? null : (
              <Text size="sm" c="dimmed" component="div">
                <CountdownRing
                  key={pairing_code}
                  until={expires_at}
                  text={(count) => t('senders.linking.codeLeft', { count })}
                />
              </Text>
            )}
          </Stack>
        )}
      </Stack>
    </div>
  )
}
