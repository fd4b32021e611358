import { Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UpdateSettings } from '../../../server/contract/settings.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusalText } from '../../hooks/use-field-text.ts'
import { Setting } from './setting.tsx'

interface TypedSettingProps<Change> {
  label: string
  hint: string
  /** The contract's name of the setting, which the server uses in refusals too. */
  name: keyof Change & string
  saved: string
  change: (text: string) => Change
  kind?: 'address' | 'number' | 'time'
  placeholder?: string
  update: {
    mutate: (change: Change, then: { onSuccess: () => void }) => void
    error: Error | null
    isPending: boolean
    reset: () => void
  }
}

const INPUTS = {
  address: { flex: 1, inputMode: 'url' },
  number: { w: 112, inputMode: 'numeric' },
  time: { w: 128, type: 'time' },
} as const

export const TextSetting = (props: Omit<TypedSettingProps<UpdateSettings>, 'update'>) => (
  <TypedSetting {...props} update={useUpdateSettings()} />
)

/** A typed setting. Save or Enter saves it; Escape restores the saved text. */
export function TypedSetting<Change>(props: TypedSettingProps<Change>) {
  const { label, hint, name, saved, change, kind = 'address', placeholder, update } = props
  const { t } = useTranslation()
  const [typed, setTyped] = useState<{ text: string; over: string } | null>(null)
  const refusalText = useRefusalText()
  const text = typed?.text ?? saved
  const isOther = text !== saved
  const problem = update.error === null ? null : refusalText(update.error, name)
  const meanwhile = isOther && typed?.over !== saved ? t('errors.savedMeanwhile') : null
  useLeaveGuard(isOther, 'unsaved')

  function submit(event: FormEvent) {
    event.preventDefault()
    update.mutate(change(text.trim()), {
      onSuccess: () => {
        // Text that was typed since then stays.
        setTyped((now) => (now === typed ? null : now))
        notifications.show({ message: t('actions.saved') })
      },
    })
  }

  function drop() {
    setTyped(null)
    update.reset()
  }

  return (
    <Setting label={label} hint={hint}>
      {({ id, 'aria-describedby': describedBy }) => (
        <form onSubmit={submit} data-wide>
          <Group gap="sm" justify="flex-end" align="flex-start" wrap="nowrap">
            <TextInput
              id={id}
              aria-describedby={describedBy}
              {...INPUTS[kind]}
              placeholder={placeholder}
              value={text}
              error={problem ?? meanwhile}
              onChange={(event) =>
                setTyped({ text: event.currentTarget.value, over: isOther && typed !== null ? typed.over : saved })
              }
              onKeyDown={(event) => (event.key === 'Escape' ? drop() : undefined)}
            />
            {isOther ? (
              <BusyButton type="submit" busy={update.isPending}>
                {t('actions.save')}
              </BusyButton>
            ) : null}
          </Group>
        </form>
      )}
    </Setting>
  )
}
