const setting = (path: string, name: string, value: string) =>
  `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/**
 * Files of a home folder in which LibreOffice ran before, by path. They suppress the tip of the day and the version
 * bar.
 */
export const libreOfficeProfile: Readonly<Record<string, string>> = {
  '.config/libreoffice/4/user/registrymodifications.xcu': [
    '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">',
    setting('/org.openoffice.Office.Common/Misc', 'ShowTipOfTheDay', 'false'),
    setting('/org.openoffice.Office.Common/Misc', 'FirstRun', 'false'),
    setting('/org.openoffice.Setup/Product', 'ooSetupLastVersion', '7.4'),
    '</oor:items>',
  ].join('\n'),
};
