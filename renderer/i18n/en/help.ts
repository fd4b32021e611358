export const help = {
  title: 'When things go wrong',
  lead: 'What to do, step by step.',
  open: 'Phone lost, number banned, new PC: step by step',
  hint: 'What to do when a phone, a number, this PC or a person is gone.',
  show: 'Show the steps',
  to: {
    senders: 'To the senders',
    messages: 'To the messages',
    backup: 'To the backups',
    keys: 'To the API keys',
    access: 'To the browsers that are logged in',
    acts: 'To what owners did',
  },
  topics: {
    phone: {
      title: 'The phone is lost or stolen',
      one: 'Have the SIM card blocked, and get a new one with the same number.',
      two: 'Register WhatsApp with that number on another phone. The lost phone is then logged out of WhatsApp.',
      three: 'Open Senders here. If the number is logged out, press “Link again” and scan the code with the new phone.',
      four: 'Messages that waited leave by themselves once the number is connected.',
    },
    banned: {
      title: 'WhatsApp has banned the number',
      one: 'Open WhatsApp on the phone, press “Request a review” and say what you send. It often takes a day or two.',
      two: 'Meanwhile add another number under Senders, and let your programs use its sender code.',
      three:
        'Open the banned number under Senders: one button moves what waits to another number that is connected. Cancel under Messages what should not leave any more.',
      four: 'When the number is back, link it again, and send less at first: only to people who expect a message.',
    },
    newPhone: {
      title: 'A new phone',
      one: 'Move WhatsApp to the new phone with the same number, as WhatsApp describes it.',
      two: 'Open Senders here. If the number is logged out, press “Link again” and scan the code with the new phone.',
      three: 'Nothing else changes: messages, keys and programs stay as they are.',
      four: 'Keep the old phone until the sender says that it is connected.',
    },
    newPc: {
      title: 'A new PC',
      one: 'If the old PC still runs: back up now, then quit Kurir there and do not start it again.',
      two: 'Install Kurir on the new PC and press “I have a backup”. The key is on the emergency sheet.',
      three: 'Senders with waiting messages are paused. Cancel what was sent already, then resume.',
      four: 'Programs on other PCs need the new address: it is under Settings, Network.',
    },
    staff: {
      title: 'A member of staff leaves',
      one: 'Delete the API keys of the devices that go along, and give the others new ones.',
      two: 'Log out the browsers that this person used.',
      three: 'On the phone of the shop, open WhatsApp, Linked devices, and remove what you do not know.',
      four: 'If this person could see the emergency sheet, make a new key for the backups, and print the sheet again.',
    },
  },
}
