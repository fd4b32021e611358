import { TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUpdateSettings } from '../../api/settings.ts'
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
  /** Says what is wrong with an entry that the server refused. */
  badText?: (entry: string) => string
}

/**
 * A setting of several texts, kept as soon as one is added or removed; what the server refuses
 * stays to be corrected.
 */
export function ListSetting({ label, hint, name, saved, badText }: ListSettingProps) {
  const { t } = useTranslation()
  const [refused, setRefused] = useState<string[] | null>(null)
  const update = useUpdateSettings()
  const refusalText = useRefusalText()

  function problemOf(error: Error): string {
    const entry = refused?.find((one) => !saved.includes(one))
    if (badText !== undefined && entry !== undefined) return badText(entry)
    return refusalText(error)
  }

  function change(entries: string[]) {
    const shown = refused ?? saved
    setRefused(entries)
    if (entries.join() === shown.join()) return
    update.mutate({ [name]: entries }, { onSuccess: () => setRefused(null) })
  }

  return (
    <Setting label={label} hint={hint}>
      {({ id, 'aria-describedby': describedBy }) => (
        <TagsInput
          id={id}
          w="100%"
          aria-describedby={describedBy}
          placeholder={t('settings.network.add')}
          value={refused ?? saved}
          error={update.error === null ? null : problemOf(update.error)}
          onChange={change}
        />
      )}
    </Setting>
  )
}
