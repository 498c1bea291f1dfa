import { lineIcon } from '../icons.tsx'

export const FilterIcon = lineIcon('M2 4h12M4.5 8h7M6.5 12h3')
export const ScanIcon = lineIcon('M2 5V2.5h2.5M11.5 2.5H14V5M14 11v2.5h-2.5M4.5 13.5H2V11M5 5v6M8 5v6M11 5v6')
