import { TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUpdateSettings } from '../../api/settings.ts'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { Setting } from './setting.tsx'

interface ListSettingProps {
  label: string
  hint: string
  name: 'media_allowed_hosts' | 'allowed_hosts' | 'cors_origins'
  saved: string[]
  /** Says what is wrong with an entry that the server refused. */
  badWords?: (entry: string) => string
}

/** A setting of several texts, kept as soon as one is added or removed; what the server refuses stays to be mended. */
export function ListSetting({ label, hint, name, saved, badWords }: ListSettingProps) {
  const { t } = useTranslation()
  const [refused, setRefused] = useState<string[] | null>(null)
  const update = useUpdateSettings()
  const fieldErrors = useFieldErrors()

  function problemOf(error: Error): string {
    const entry = refused?.find((one) => !saved.includes(one))
    if (badWords !== undefined && entry !== undefined) return badWords(entry)
    return Object.values(fieldErrors(error))[0] ?? error.message
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
