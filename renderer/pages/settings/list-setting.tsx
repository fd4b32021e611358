import { TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../server/contract/errors.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusalText } from '../../hooks/use-field-text.ts'
import { Setting } from './setting.tsx'

interface ListSettingProps {
  label: string
  hint: string
  name:
    | 'media_allowed_hosts'
    | 'allowed_hosts'
    | 'cors_origins'
    | 'file_folders'
    | 'opt_out_keywords'
    | 'opt_in_keywords'
  saved: string[]
  /** Says what is wrong with an entry that the server refused. Default: the server's reason. */
  badText?: (entry: string) => string
}

/**
 * A setting of several texts. Adding or removing a text saves at once. If saving fails, the typed
 * texts stay, to be corrected or saved again.
 */
export function ListSetting({ label, hint, name, saved, badText }: ListSettingProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<string[] | null>(null)
  const { mutate, error, isError } = useUpdateSettings()
  const refusalText = useRefusalText()
  const shown = typed ?? saved
  const isWrong = error instanceof ApiError && error.code === 'invalid_request'
  useLeaveGuard(isError && shown.join() !== saved.join(), 'unsaved')

  function problemOf(wrong: Error): string {
    const entry = shown.find((one) => !saved.includes(one))
    if (badText !== undefined && entry !== undefined) return badText(entry)
    return refusalText(wrong)
  }

  const save = (entries: string[]) => mutate({ [name]: entries }, { onSuccess: () => setTyped(null) })

  function change(entries: string[]) {
    setTyped(entries)
    if (entries.join() !== shown.join()) save(entries)
  }

  return (
    <Setting
      label={label}
      hint={hint}
      below={error === null || isWrong ? null : <ErrorState error={error} retry={() => save(shown)} />}
    >
      {({ id, 'aria-describedby': describedBy }) => (
        <TagsInput
          id={id}
          w="100%"
          aria-describedby={describedBy}
          placeholder={t('settings.network.add')}
          value={shown}
          error={isWrong ? problemOf(error) : null}
          onChange={change}
        />
      )}
    </Setting>
  )
}
