import { lineIcon } from '../icons.tsx'

export const ChevronUpIcon = lineIcon('M4 10l4-4 4 4')
export const ChevronRightIcon = lineIcon('M6 4l4 4-4 4')
export const ChevronLeftIcon = lineIcon('M10 4 6 8l4 4')
export const ExpandAllIcon = lineIcon('M4.5 6 8 2.5 11.5 6M4.5 10 8 13.5 11.5 10')
export const CollapseAllIcon = lineIcon('M4.5 2.5 8 6l3.5-3.5M4.5 13.5 8 10l3.5 3.5')
export const RowHeightIcon = lineIcon('M2.5 3.5h11M2.5 6.5h11M2.5 9.5h11M2.5 12.5h11')
export const PlusIcon = lineIcon('M8 3v10M3 8h10')
export const TrashIcon = lineIcon('M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4')
export const CheckIcon = lineIcon('M3 8.5 6.5 12 13 4.5')
export const CompareIcon = lineIcon('M5.5 3.5 2.5 6.5l3 3M2.5 6.5h8M10.5 6.5l3 3-3 3M13.5 9.5h-8')
export const PinIcon = lineIcon('M6 2.5h4l-.5 4.5 2 2v1h-7v-1l2-2zM8 10v4')
