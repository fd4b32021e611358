import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { restartAnswer } from '../../../server/contract/settings.ts'
import { call } from '../../api/client.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'

/**
 * Encrypts all stored secrets with a new key, for when a stranger has a backup. Says before what
 * else the owner must do.
 */
export function RotateDataKey() {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // Help links to this address. The button is at the end of a long section.
  useEffect(() => {
    if (location.search === '?new-key') button.current?.scrollIntoView({ block: 'center' })
  }, [])
  const rotate = useMutation({
    mutationFn: () => call(restartAnswer, '/api/data-key/rotate', { method: 'POST' }),
    onSettled: () => setAsking(false),
  })

  return (
    <Setting
      named
      label={t('settings.backup.newKey')}
      hint={t('settings.backup.newKeyHint')}
      below={
        <>
          {rotate.data === undefined ? null : (
            <Text size="sm" role="status">
              {rotate.data.data.restarts ? t('settings.backup.newKeyRestarting') : t('settings.backup.newKeyNextStart')}
            </Text>
          )}
          {rotate.error === null ? null : <ErrorState error={rotate.error} />}
          <Modal
            opened={asking}
            onClose={() => setAsking(false)}
            title={t('settings.backup.newKeyTitle')}
            centered
            closeButtonProps={{ 'aria-label': t('actions.close') }}
          >
            <Stack>
              <Text size="sm">{t('settings.backup.newKeyFirst')}</Text>
              <List size="sm">
                <List.Item>{t('settings.backup.newKeyLinks')}</List.Item>
                <List.Item>{t('settings.backup.newKeyToken')}</List.Item>
                <List.Item>{t('settings.backup.newKeyWebhooks')}</List.Item>
              </List>
              <Text size="sm">{t('settings.backup.newKeyThen')}</Text>
              <Group justify="flex-end" gap="sm">
                <Button variant="default" onClick={() => setAsking(false)}>
                  {t('actions.cancel')}
                </Button>
                <BusyButton busy={rotate.isPending} onClick={() => rotate.mutate()}>
                  {t('settings.backup.newKeyNow')}
                </BusyButton>
              </Group>
            </Stack>
          </Modal>
        </>
      }
    >
      {(ids) => (
        <Button
          ref={button}
          variant="default"
          aria-describedby={ids['aria-describedby']}
          onClick={() => setAsking(true)}
        >
          {t('settings.backup.newKeyMake')}
        </Button>
      )}
    </Setting>
  )
}
