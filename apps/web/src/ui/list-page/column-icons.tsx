import { lineIcon } from '../icons.tsx'

export const ColumnsIcon = lineIcon('M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10')
export const GripIcon = lineIcon('M6 4v0M6 8v0M6 12v0M10 4v0M10 8v0M10 12v0')
export const NewestIcon = lineIcon('M4.5 3v10M2 10.5 4.5 13 7 10.5M9.5 4h4.5M9.5 8h3M9.5 12h1.5')
