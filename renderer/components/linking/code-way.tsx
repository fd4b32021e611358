import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { CountdownRing } from '../countdown-ring.tsx'
import { LinkSteps } from './link-steps.tsx'
import classes from './linking.module.css'

interface CodeWayProps {
  sender: SenderView
  pending: boolean
  ask: (phone: string) => void
}

/** For phones whose camera cannot see this screen: a code of eight letters to type on the phone. */
export function CodeWay({ sender, pending, ask }: CodeWayProps) {
  const { t } = useTranslation()
  const [phone, setPhone] = useState(sender.phone ?? '')
  const { pairing_code, expires_at } = sender

  function submit(event: FormEvent) {
    event.preventDefault()
    ask(phone.replace(/\D/g, ''))
  }

  return (
    <div className={classes.ways}>
      <LinkSteps
        steps={[
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
              value={phone}
              onChange={(event) => setPhone(event.currentTarget.value)}
              required
            />
            <Button type="submit" loading={pending} variant={pairing_code === null ? 'filled' : 'default'}>
              {t('senders.linking.getCode')}
            </Button>
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
                  words={(count) => t('senders.linking.codeLeft', { count })}
                />
              </Text>
            )}
          </Stack>
        )}
      </Stack>
    </div>
  )
}
