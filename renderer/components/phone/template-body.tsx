import { Text } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import type { TemplateLook } from '../../model/template-text.ts'
import { ChatText } from './chat-text.tsx'
import classes from './phone.module.css'

export const TemplateBody = ({ look: { header, headerMedia, body, footer, buttons } }: { look: TemplateLook }) => (
  <>
    {headerMedia === null ? null : (
      <div className={classes.document}>
        <IconPhoto size={20} aria-hidden="true" /> {headerMedia.toLowerCase()}
      </div>
    )}
    {header === null ? null : <Text fw={600}>{header}</Text>}
    <ChatText text={body} />
    {footer === null ? null : (
      <Text size="xs" c="dimmed">
        {footer}
      </Text>
    )}
    {buttons.map(({ index, label }) => (
      <div key={index} className={classes.button}>
        {label}
      </div>
    ))}
  </>
)
