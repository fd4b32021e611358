import { Alert, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DesktopBridge } from '../../../server/contract/desktop.ts'
import type { PasskeyAssertion, PasskeyOptions } from '../../../server/contract/linking.ts'
import { BusyButton } from '../busy-button.tsx'

interface PasskeyHereProps {
  desktop: DesktopBridge
  options: PasskeyOptions
  send: (assertion: PasskeyAssertion) => void
}

/** Asks for the passkey in the system's own dialog. Only the desktop can open it. */
export function PasskeyHere({ desktop, options, send }: PasskeyHereProps) {
  const { t } = useTranslation()
  const confirm = useMutation({
    mutationFn: () => desktop.confirmPasskey(options),
    networkMode: 'always',
    onSuccess: (assertion) => assertion !== null && send(assertion),
  })
  const nothing = confirm.isError || confirm.data === null
  return (
    <Stack gap="xs" align="flex-start">
      <BusyButton busy={confirm.isPending} onClick={() => confirm.mutate()}>
        {t('senders.linking.passkey.here')}
      </BusyButton>
      <Text size="sm" c="dimmed">
        {t('senders.linking.passkey.hereHint')}
      </Text>
      {nothing ? (
        <Alert variant="light" color="red" role="alert">
          {t('senders.linking.passkey.notHere')}
        </Alert>
      ) : null}
    </Stack>
  )
}
