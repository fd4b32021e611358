import { Button, Group, Select, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextView } from '../../../server/slices/texts/contract.ts'
import { useChangeText, useKeepText, useRemoveText, useTexts } from '../../api/texts.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { useTellError } from '../../hooks/use-tell-error.ts'

interface SavedTextsProps {
  /** The present text of the message. */
  message: string
  /** Id of the saved text that the message came from. */
  chosen: string | null
  choose: (text: TextView) => void
}

/** Takes a saved text into the message, or changes or removes the saved text. */
export function SavedTexts({ message, chosen, choose }: SavedTextsProps) {
  const { t } = useTranslation()
  const list = useTexts()
  const texts = list.data ?? []
  const known = texts.find(({ id }) => id === chosen)
  return (
    <>
      <Select
        label={t('write.savedText')}
        placeholder={t('write.chooseText')}
        description={list.data?.length === 0 ? t('write.noTexts') : undefined}
        disabled={texts.length === 0}
        searchable={texts.length > 7}
        data={texts.map(({ id, name }) => ({ value: id, label: name }))}
        value={known?.id ?? null}
        onChange={(id) => {
          const text = texts.find((one) => one.id === id)
          if (text !== undefined) choose(text)
        }}
      />
      {list.error === null ? null : <ErrorState error={list.error} retry={() => void list.refetch()} />}
      {known === undefined ? null : <Chosen text={known} message={message} />}
    </>
  )
}

function Chosen({ text: { id, name, text }, message }: { text: TextView; message: string }) {
  const { t } = useTranslation()
  const change = useChangeText()
  const remove = useRemoveText()
  const keep = useKeepText()
  const tellError = useTellError()

  // mutateAsync: this component is unmounted as soon as the list lacks the text.
  function removed() {
    const notice = notifications.show({
      autoClose: 10_000,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{t('write.textRemoved', { name })}</Text>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              notifications.hide(notice)
              void keep.mutateAsync({ name, text }).catch((error) => {
                tellError(error)
                removed()
              })
            }}
          >
            {t('write.undoRemove')}
          </Button>
        </Group>
      ),
    })
  }

  return (
    <>
      <Group gap="sm">
        {message === text || message === '' ? null : (
          <BusyButton
            size="xs"
            variant="default"
            busy={change.isPending}
            onClick={() => change.mutate({ id, text: message })}
          >
            {t('write.keepChange')}
          </BusyButton>
        )}
        <BusyButton
          size="xs"
          variant="default"
          busy={remove.isPending}
          onClick={() => void remove.mutateAsync(id).then(removed, () => undefined)}
        >
          {t('write.removeText', { name })}
        </BusyButton>
      </Group>
      {change.error === null ? null : <ErrorState error={change.error} />}
      {remove.error === null ? null : <ErrorState error={remove.error} />}
    </>
  )
}

interface KeepTextProps {
  message: string
  kept: (text: TextView) => void
}

/** Saves the message as a text with a name. */
export function KeepText({ message, kept }: KeepTextProps) {
  const { t } = useTranslation()
  const keep = useKeepText()
  const refusals = useRefusals()
  const [name, setName] = useState<string | null>(null)
  if (message === '') return null
  if (name === null)
    return (
      <Button size="xs" variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => setName('')}>
        {t('write.keep')}
      </Button>
    )
  const errors = keep.error === null ? {} : refusals(keep.error)

  function done(text: TextView) {
    setName(null)
    kept(text)
    notifications.show({ message: t('write.kept', { name: text.name }) })
  }

  return (
    <>
      <Group gap="sm" align="flex-end">
        <TextInput
          label={t('write.keepName')}
          description={t('write.keepHint')}
          maxLength={80}
          flex={1}
          value={name}
          error={errors.name ?? errors.text}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <BusyButton
          variant="default"
          busy={keep.isPending}
          disabled={name.trim() === ''}
          onClick={() => keep.mutate({ name, text: message }, { onSuccess: done })}
        >
          {t('actions.save')}
        </BusyButton>
      </Group>
      {keep.error === null ? null : <ErrorState error={keep.error} marked={{ name, text: message }} />}
    </>
  )
}
