import { Group, Select, Text, TextInput } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type Template, useSyncTemplates } from '../../api/templates.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { NO_VALUES, type TemplateDraft } from './template-draft.ts'

interface TemplatePickerProps {
  /** False for the sandbox, which takes any template name. */
  official: boolean
  senderCode: string
  templates: Template[]
  draft: TemplateDraft
  setDraft: (draft: TemplateDraft) => void
  /** Refusals by field. */
  errors: Record<string, string>
}

const KNOWN_STATUS = ['pending', 'rejected', 'paused', 'disabled'] as const

const keyOf = ({ name, language }: Pick<Template, 'name' | 'language'>) => `${name} ${language}`

export function TemplatePicker({ official, senderCode, templates, draft, setDraft, errors }: TemplatePickerProps) {
  const { t } = useTranslation()
  const statusName = (status: string) => {
    const known = KNOWN_STATUS.find((one) => one === status.toLowerCase())
    return known === undefined ? status.toLowerCase() : t(`write.templateState.${known}`)
  }

  if (!official) {
    return (
      <Group gap="sm" align="flex-start">
        <TextInput
          label={t('write.otherTemplate')}
          required
          flex={1}
          error={errors.template_name}
          value={draft.name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <TextInput
          label={t('write.language')}
          required
          w={120}
          error={errors.language}
          value={draft.language}
          onChange={(event) => setDraft({ ...draft, language: event.currentTarget.value })}
        />
      </Group>
    )
  }
  return (
    <>
      <Select
        label={t('write.chooseTemplate')}
        searchable
        required
        error={errors.template_name ?? errors.language}
        data={templates.map((one) => ({
          value: keyOf(one),
          label: `${one.name} · ${one.language}${one.status === 'APPROVED' ? '' : ` · ${statusName(one.status)}`}`,
          disabled: one.status !== 'APPROVED',
        }))}
        value={draft.name === '' ? null : keyOf(draft)}
        onChange={(key) => {
          const chosen = templates.find((one) => keyOf(one) === key)
          if (chosen !== undefined) setDraft({ name: chosen.name, language: chosen.language, ...NO_VALUES })
        }}
      />
      {templates.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('write.noTemplates')}
        </Text>
      ) : null}
      <SyncButton senderCode={senderCode} />
    </>
  )
}

function SyncButton({ senderCode }: { senderCode: string }) {
  const { t } = useTranslation()
  const sync = useSyncTemplates(senderCode)
  return (
    <>
      <BusyButton
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        busy={sync.isPending}
        onClick={() => sync.mutate()}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('write.sync')}
      </BusyButton>
      {sync.error === null ? null : <ErrorState error={sync.error} />}
    </>
  )
}
