import { ActionIcon, Group, Title } from '@mantine/core'
import { useFocusReturn, useHotkeys } from '@mantine/hooks'
import { IconLink, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './copy-button.tsx'
import classes from './drawer.module.css'

interface DrawerProps {
  title: ReactNode
  onClose: () => void
  children: ReactNode
}

/** A detail at the right of its list, which stays usable. Which detail is open stands in the address. */
export function Drawer({ title, onClose, children }: DrawerProps) {
  const { t } = useTranslation()
  const titleId = useId()
  const panel = useRef<HTMLDialogElement>(null)
  useFocusReturn({ opened: true })
  useHotkeys([['Escape', () => isModalOpen() || onClose()]], [])
  useEffect(() => panel.current?.focus(), [])
  return (
    <dialog ref={panel} open aria-labelledby={titleId} tabIndex={-1} className={classes.drawer}>
      <Group className={classes.head ?? ''} wrap="nowrap" gap="sm">
        <Title order={2} id={titleId} flex={1} miw={0}>
          {title}
        </Title>
        <CopyButton compact value={location.href} label={t('actions.copyAddress')} icon={IconLink} />
        <ActionIcon variant="subtle" color="gray" onClick={onClose} aria-label={t('actions.close')}>
          <IconX size={18} />
        </ActionIcon>
      </Group>
      <div className={classes.body}>{children}</div>
    </dialog>
  )
}

/** A question above the drawer takes the Escape key first. */
const isModalOpen = () => document.querySelector('[aria-modal="true"]') !== null
