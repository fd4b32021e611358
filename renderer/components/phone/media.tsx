import { Text } from '@mantine/core'
import { IconFile, IconMusic, IconPhoto, IconVideo } from '@tabler/icons-react'
import { fileLook } from '../../model/media-kind.ts'
import classes from './phone.module.css'

const ICONS = { image: IconPhoto, video: IconVideo, audio: IconMusic, document: IconFile }

/**
 * The file of a message, shown by its name. The file is not loaded, because a caller chose the
 * address and the browser has the owner's rights.
 */
export function Media({ address, named = null }: { address: string; named?: string | null }) {
  const { kind, name, host } = fileLook(address, named)
  const Icon = ICONS[kind]
  return (
    <div className={classes.document}>
      <Icon size={20} style={{ flex: 'none' }} aria-hidden="true" />
      <span>
        {name}
        {host === null || host === name ? null : (
          <Text component="span" display="block" size="xs" c="dimmed">
            {host}
          </Text>
        )}
      </span>
    </div>
  )
}
