export const slip = {
  title: 'Record of a message',
  open: 'Record for printing',
  print: 'Print or save as PDF',
  from: 'From',
  to: 'To',
  file: 'File',
  hash: 'Fingerprint of the file (SHA-256)',
  accepted: 'Received by Kurir',
  notYet: 'not reported',
  meaning:
    'Sent: WhatsApp’s server has confirmed the message. Delivered: it reached the customer’s phone. Read: the customer opened it, where they let others see that.',
  printed: 'Printed from Kurir on {{when}}.',
}
