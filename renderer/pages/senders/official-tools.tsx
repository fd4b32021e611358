import { Group, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCallbackSetup, useRegister } from '../../api/official.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useRefusals } from '../../hooks/use-field-text.ts'

interface OfficialToolsProps {
  code: string
  /** True if Meta says that the number is not registered. Then the form is open. */
  unregistered: boolean
}

/** Actions at Meta that Kurir does for the owner: sets up callbacks, registers the number. */
export function OfficialTools({ code, unregistered }: OfficialToolsProps) {
  const { t } = useTranslation()
  const setup = useCallbackSetup(code)
  return (
    <Stack gap="md">
      <div>
        <BusyButton
          size="xs"
          variant="default"
          busy={setup.isPending}
          onClick={() =>
            setup.mutate(undefined, {
              onSuccess: () => notifications.show({ message: t('senders.official.setUpDone') }),
            })
          }
        >
          {t('senders.official.setUp')}
        </BusyButton>
        <Text size="sm" c="dimmed" mt={4}>
          {t('senders.official.setUpHint')}
        </Text>
      </div>
      {setup.error === null ? null : <ErrorState error={setup.error} />}
      <details open={unregistered}>
        <summary>{t('senders.official.register')}</summary>
        <Register code={code} />
      </details>
    </Stack>
  )
}

function Register({ code }: { code: string }) {
  const { t } = useTranslation()
  const [pin, setPin] = useState('')
  const register = useRegister(code)
  const refusals = useRefusals()

  function submit(event: FormEvent) {
    event.preventDefault()
    register.mutate(pin, {
      onSuccess: () => {
        setPin('')
        notifications.show({ message: t('senders.official.registered') })
      },
    })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm" mt="sm">
        <Text size="sm">{t('senders.official.registerHint')}</Text>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('senders.official.pin')}
            inputMode="numeric"
            autoComplete="off"
            maxLength={6}
            value={pin}
            error={register.error === null ? null : refusals(register.error).pin}
            onChange={(event) => setPin(event.currentTarget.value)}
          />
          <BusyButton type="submit" busy={register.isPending} disabled={!/^\d{6}$/.test(pin)}>
            {t('senders.official.registerNow')}
          </BusyButton>
        </Group>
        {register.error === null ? null : <ErrorState error={register.error} marked={{ pin }} />}
      </Stack>
    </form>
  )
}
