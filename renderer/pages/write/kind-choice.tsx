import { SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useUrlState } from '../../hooks/use-url-state.ts'

const KINDS = ['text', 'template', 'table'] as const
export type Kind = (typeof KINDS)[number]

export function useKind(): Kind {
  const [get] = useUrlState()
  return KINDS.find((kind) => kind === get('kind')) ?? 'text'
}

/** The choice of a text, a template, or a text for each row of a table. */
export function KindChoice() {
  const { t } = useTranslation()
  const [, set] = useUrlState()
  return (
    <SegmentedControl
      aria-label={t('write.kind')}
      value={useKind()}
      onChange={(kind) => set({ kind, sender: undefined })}
      data={[
        { value: 'text', label: t('write.text') },
        { value: 'template', label: t('write.template') },
        { value: 'table', label: t('write.table') },
      ]}
      style={{ alignSelf: 'flex-start' }}
    />
  )
}
