import {
  CallIcon,
  ControlIcon,
  type Icon,
  InterfacesIcon,
  lineIcon,
  RequisitionsIcon,
  ResultsIcon,
  ReviewIcon,
  SignIcon,
  WarningIcon,
} from '../../ui/icons.tsx'

/** By the code of the queue; a queue without one gets the icon of a list. */
const icons: Record<string, Icon> = {
  CRITICAL: CallIcon,
  QC: ControlIcon,
  REVIEW: ReviewIcon,
  SIGN: SignIcon,
  LATE_DELIVERY: lineIcon(
    'M1.5 4h8v7h-8zM9.5 6.5h3L14.5 9v2h-5M4 13a1.25 1.25 0 1 0 0-2.5A1.25 1.25 0 0 0 4 13ZM11.5 13a1.25 1.25 0 1 0 0-2.5 1.25 1.25 0 0 0 0 2.5Z',
  ),
  HELD_FILE: lineIcon('M4 2h6l3 3v9H4zM10 2v3h3'),
  HELD_MESSAGE: InterfacesIcon,
  RECEIVE: lineIcon('M5 2.5h6M6 2.5v9a2 2 0 0 0 4 0v-9M6 7h4'),
  PROCESS: lineIcon('M6.5 2.5v4l-3.5 7h10l-3.5-7v-4M5.5 2.5h5M4.8 10h6.4'),
  ISSUES: WarningIcon,
  NEW_RESULTS: ResultsIcon,
}

/** The label of its button, and the letter that opens it after G: not one that the page uses otherwise. */
const looks: Record<string, { action?: string; letter: string }> = {
  CRITICAL: { action: 'Call', letter: 'c' },
  QC: { action: 'Open QC', letter: 'q' },
  REVIEW: { action: 'Review', letter: 'r' },
  SIGN: { action: 'Sign', letter: 's' },
  LATE_DELIVERY: { letter: 'd' },
  HELD_FILE: { action: 'Match', letter: 'h' },
  HELD_MESSAGE: { action: 'Decide', letter: 'm' },
  RECEIVE: { action: 'Receive', letter: 'e' },
  PROCESS: { action: 'Work list', letter: 'p' },
  ISSUES: { letter: 'i' },
  NEW_RESULTS: { action: 'Review', letter: 'r' },
  WANTED: { letter: 'w' },
  ON_THE_WAY: { letter: 't' },
  SILENT: { letter: 's' },
  OPEN: { letter: 'o' },
  DELIVERED: { letter: 'd' },
  READY_TO_BILL: { action: 'Bill', letter: 'b' },
  MISSING_BILLING: { letter: 'm' },
  BATCHES: { action: 'Send', letter: 't' },
}

export const actionOf = (code: string): string => looks[code]?.action ?? 'Open'
export const letterOf = (code: string): string | undefined => looks[code]?.letter

export const QueueIcon = ({ code, size = 18 }: { code: string; size?: number }) => {
  const Glyph = icons[code] ?? RequisitionsIcon
  return <Glyph size={size} />
}
